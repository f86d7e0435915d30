import { randomInt } from "node:crypto";
import { conclude, type Evidence } from "./conclude.js";
import { deliver } from "./deliver.js";
import { laterClauses } from "./edition.js";
import type { Progress, RunResult, VerifyOptions } from "./options.js";
import type { Played } from "./play/play.js";
import { playAll } from "./play/play-all.js";
import type { Run } from "./play/run.js";
import { leftNow } from "./play/settle.js";
import type { Held } from "./property/held.js";
import type { Trial } from "./property/hold.js";
import { holdAll } from "./property/hold-all.js";
import { openRehearsal } from "./property/rehearsal.js";
import { type SecondOpinion, scenarioLine } from "./report/report.js";
import { ledger } from "./suite.js";
import type { Task } from "./task.js";
import type { Tracer } from "./trace/write.js";

/** What goes with a run on its way. */
export interface Company {
  /** What was found out before anything is played. */
  notes: readonly string[];
  opinion?: (() => SecondOpinion) | undefined;
  /** Writes the trace, where there is a directory for it. */
  tracer?: Tracer | undefined;
}

/** Plays what the task names on a server that is ready, judges what was seen and writes the report. */
export async function examine(
  options: VerifyOptions,
  run: Run,
  task: Task,
  { notes, opinion, tracer }: Company,
): Promise<RunResult> {
  const startedAt = new Date();
  options.onStart?.(() => run.mask.hideIn([...run.leftovers, ...leftNow(run.open)]));
  const seed = options.seed ?? task.earlier?.seed ?? randomInt(2 ** 31);
  const { played, held } = await playAndHold(options, run, task, { seed, tracer });
  const { suite, selection, waivers, edition, key } = task;
  const { target, tally, profile } = run;
  const said = [...notes, ...clockNote(run)];
  const all = [...played, ...held.map((one) => one.played)];
  const evidence: Evidence = {
    suite,
    target: target.name,
    url: target.urls.api,
    ...(options.target !== undefined && { target_file: options.target }),
    started_at: startedAt.toISOString(),
    selection,
    profile,
    ...(edition && { claim: { edition: edition.version, later_clauses: laterClauses(edition, ledger) } }),
    seed,
    requests: tally.requests,
    paid: tally.paid,
    waited_s: tally.waitedSeconds,
    scenarios: all.map((one) => scenarioLine(one, edition)),
    checks: all.flatMap(({ checks }) => checks),
    waivers,
    properties: held.map(({ line }) => line),
    ...(said.length > 0 && { notes: said }),
    ...(run.leftovers.length > 0 && { leftovers: run.leftovers }),
    ...(opinion && { second_opinion: opinion() }),
  };
  return deliver(conclude(ledger, run.mask.hideIn(evidence)), options, async () => ({
    trace: await tracer?.close(),
    waivers: task.waiversText && run.mask.hide(task.waiversText),
    key,
  }));
}

/** What there is to say of a server's clock that is not ours and that no hook tells. */
function clockNote({ target, serverClock, now }: Run): string[] {
  const seconds = Math.round((serverClock.now() - now()) / 1000);
  if (target.clock || Math.abs(seconds) < 2) return []; // less may be no more than a slow answer
  return [
    `By the Date of its answers the server's clock is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} ours; moments are told to it by its own.`,
  ];
}

/** Plays the scenarios, then tries the properties, and tells how far it is. */
async function playAndHold(
  options: VerifyOptions,
  run: Run,
  { scenarios, properties, earlier }: Task,
  { seed, tracer }: { seed: number; tracer: Tracer | undefined },
): Promise<{ played: Played[]; held: Held[] }> {
  const total = scenarios.length + properties.length;
  let at = { done: 0, scenario: "" };
  const tell = (done: number, scenario: string, waiting?: Progress["waiting"]) => {
    at = { done, scenario };
    options.onProgress?.({ ...at, total, requests: run.tally.requests, ...(waiting && { waiting }) });
  };
  const watched: Run = { ...run, onWait: (what, seconds) => tell(at.done, at.scenario, { what, seconds }) };
  const before = earlier?.scenarios ?? new Map<string, Played>();
  const left = scenarios.filter(({ name }) => !before.has(name));
  const now = await playAll(watched, left, ({ scenario }, done) => tell(done, scenario.name), tracer);
  const rehearsal = openRehearsal(options);
  let tried = 0;
  const onHeld = () => void tried++;
  const onCase: Trial["onCase"] = (id, done, of) => tell(scenarios.length + tried, `property:${id} ${done}/${of}`);
  const trial: Trial = { runs: options.runs, seed, deadline: run.deadline, rehearsal: rehearsal?.open, witness: tracer, onCase };
  const held = await holdAll(watched, properties, trial, earlier?.properties, onHeld).finally(() => rehearsal?.close());
  const rest = now.values();
  return { played: scenarios.map(({ name }) => before.get(name) ?? (rest.next().value as Played)), held };
}
