import { type KeyObject, randomInt } from "node:crypto";
import { tracesBeside } from "./bundle/join.js";
import { readSigningKey } from "./bundle/sign.js";
import { choose } from "./choose.js";
import { chooseProperties } from "./choose-properties.js";
import { conclude, type Evidence } from "./conclude.js";
import type { Leftover } from "./debts/debts.js";
import { deliver, unwritten } from "./deliver.js";
import { type Edition, laterClauses, readEdition } from "./edition.js";
import type { Profile } from "./play/effects.js";
import type { Played } from "./play/play.js";
import { playAll } from "./play/play-all.js";
import type { Run } from "./play/run.js";
import { leftNow } from "./play/settle.js";
import { type Preflight, preflight } from "./preflight.js";
import type { Held } from "./property/held.js";
import type { Trial } from "./property/hold.js";
import { holdAll } from "./property/hold-all.js";
import type { Property } from "./property/property.js";
import { openRehearsal } from "./property/rehearsal.js";
import type { FileForm } from "./report/files.js";
import { reportFile } from "./report/read.js";
import { type Report, type SecondOpinion, scenarioLine } from "./report/report.js";
import { type Earlier, readEarlier } from "./resume.js";
import type { Scenario } from "./scenario/format.js";
import { withSecondOpinion } from "./second-opinion.js";
import { onTarget, startRun } from "./start.js";
import { ledger } from "./suite.js";
import type { Environment } from "./target/target.js";
import { openTrace, type Tracer } from "./trace/write.js";
import { readWaivers, type Waiver } from "./waivers.js";

/** What to examine and how. Everything but the address has a default. */
export interface VerifyOptions {
  /** Address of the API host; beats the target file's. */
  url?: string;
  /** Target file; else the server is asked for its own description, else only the address is known. */
  target?: string;
  /** Bearer key of the role `full`. */
  key?: string;
  /** Default: full on a loopback address, read-only elsewhere. */
  profile?: Profile;
  /** Globs over scenario names and files, clause ids, or paths of scenario files. */
  only?: readonly string[];
  surface?: "rest" | "mcp" | "docs";
  /** Cases of each property; 0 tries none. Default: what each asks for. */
  runs?: number;
  seed?: number;
  shard?: { index: number; of: number };
  /** Most requests that may start paid work. Default: no bound. */
  budgetPaid?: number;
  /** Longest single wait in seconds. Default 90. */
  maxWait?: number;
  /** Longest run in seconds; what has not begun by then is not-observed. Default: no bound. */
  maxTime?: number;
  /** File of waivers: failures that are known, lived with and not findings until a day. */
  waivers?: string;
  /** Let Prism judge the REST exchanges too, apart from the verdict; it must be installed. */
  secondOpinion?: boolean;
  /** Edition of the suite that is claimed: what came after it is reported and not scored. Default: the suite as it is. */
  claim?: string;
  /** Report of a run that was stopped or ran out of time, or its directory: what it has played is not played again. */
  resume?: string;
  /** Directory for report.json, the other forms and the evidence. */
  out?: string;
  /** Private key (PEM: Ed25519, EC or RSA) that the statement of the evidence is signed with. */
  signKey?: string;
  /** Forms that are written beside report.json. */
  forms?: readonly FileForm[];
  /** Whether the server is asked a few harmless things before anything is played, so that a wrong address or key is one sentence. Default: yes. */
  preflight?: boolean;
  /** Directory of scenarios. Default: the suite of this package. */
  scenarios?: string;
  /** Stops the run: plays end after the step they are in, `finally` steps still run. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Told, as the run begins, how to ask what it would leave behind if it ended now. */
  onStart?: (left: () => Leftover[]) => void;
  /** Starts a server that keeps the contract and costs nothing; failures found on a costly target are made small on it. */
  rehearse?: () => Promise<{ url: string; close(): Promise<void> }>;
  /** Environment variables that target files may name. Default: this process's. */
  env?: Environment;
}

/** How far a run is. */
export interface Progress {
  done: number;
  total: number;
  requests: number;
  /** The scenario that has just been played, or the property that is being tried. */
  scenario: string;
}

/** What came of a run: the report, or the sentences that say why there is none. Exit codes as in the command line's. */
export interface RunResult {
  exitCode: 0 | 1 | 2 | 3 | 4;
  report?: Report;
  messages: string[];
}

/** What is examined: the chosen scenarios and properties, and what the user says beside. */
interface Task {
  scenarios: readonly Scenario[];
  properties: readonly Property[];
  suite: Report["suite"];
  /** What was found out before anything is played. */
  notes: readonly string[];
  waivers: { ok: true; waivers: readonly Waiver[]; text?: string };
  /** The edition of the suite that is claimed. */
  edition?: Edition | undefined;
  /** What an earlier run has played of it. */
  earlier?: Earlier | undefined;
  opinion?: (() => SecondOpinion) | undefined;
  /** Signs the statement of the evidence. */
  key?: KeyObject | undefined;
}

/** Examines one server: selects scenarios and properties, plays them, judges the clauses. Never throws for what a server or a user does. */
export async function verify(options: VerifyOptions): Promise<RunResult> {
  const chosen = choose(options);
  const waived = options.waivers === undefined ? { ok: true as const, waivers: [] } : readWaivers(options.waivers, ledger);
  if (!chosen.ok || !waived.ok)
    return { exitCode: 2, messages: [...(chosen.ok ? [] : chosen.mistakes), ...(waived.ok ? [] : waived.mistakes)] };
  const claimed = options.claim === undefined ? undefined : readEdition(options.claim);
  if (claimed?.ok === false) return { exitCode: 2, messages: [claimed.mistake] };
  const { scenarios, suite } = chosen;
  const properties = await chooseProperties(options, ledger);
  if (scenarios.length + properties.length === 0)
    return { exitCode: 2, messages: ["nothing is selected: no property fits --only, --surface, --shard and --runs"] };
  const signing = options.signKey === undefined ? undefined : readSigningKey(options.signKey);
  if (signing?.ok === false) return { exitCode: 2, messages: [signing.mistake] };
  const resumed =
    options.resume === undefined
      ? undefined
      : readEarlier(options.resume, {
          scenarios,
          properties,
          suite,
          selection: selectionOf(options),
          seed: options.seed,
          claim: options.claim,
        });
  if (resumed?.ok === false) return { exitCode: 2, messages: resumed.mistakes };
  return onTarget(options, async (target, wire) => {
    const run = startRun(options, target, wire);
    const { stop, notes, target: found } = await before(options, run, scenarios);
    if (stop) return { exitCode: stop.exitCode, messages: run.mask.hideIn([stop.why, ...notes]) };
    return withSecondOpinion(options, target, wire, (through, opinion) =>
      traced(options, { ...run, target: found, wire: through }, resumed?.earlier, (run, tracer) =>
        examine(
          options,
          run,
          {
            scenarios,
            properties,
            suite,
            notes,
            waivers: waived,
            edition: claimed?.edition,
            earlier: resumed?.earlier,
            opinion,
            key: signing?.key,
          },
          tracer,
        ),
      ),
    );
  });
}

function before(options: VerifyOptions, run: Run, scenarios: readonly Scenario[]): Promise<Preflight> | Preflight {
  return options.preflight === false ? { notes: [], target: run.target } : preflight(run, scenarios, options);
}

/** Uses a run with what writes its trace, where there is a directory for it. */
async function traced(
  { out, resume }: VerifyOptions,
  run: Run,
  earlier: Earlier | undefined,
  use: (run: Run, tracer?: Tracer) => Promise<RunResult>,
): Promise<RunResult> {
  if (out === undefined) return use(run);
  let tracer: Tracer;
  try {
    const beside = resume === undefined ? undefined : tracesBeside([reportFile(resume)]);
    const [trace] = beside?.ok ? beside.traces : [];
    tracer = await openTrace(out, run, trace && earlier && { path: trace.path, scenarios: earlier.scenarios });
  } catch (error) {
    return { exitCode: 4, messages: [unwritten(error)] };
  }
  return use(run, tracer).finally(() => tracer.discard());
}

async function examine(options: VerifyOptions, run: Run, task: Task, tracer?: Tracer): Promise<RunResult> {
  const { suite, notes, waivers, edition, opinion, key } = task;
  const startedAt = new Date();
  options.onStart?.(() => run.mask.hideIn([...run.leftovers, ...leftNow(run.open)]));
  const seed = options.seed ?? task.earlier?.seed ?? randomInt(2 ** 31);
  const { played, held } = await playAndHold(options, run, task, { seed, tracer });
  const all = [...played, ...held.map((one) => one.played)];
  const { target, tally, profile } = run;
  const evidence: Evidence = {
    suite,
    target: target.name,
    url: target.urls.api,
    ...(options.target !== undefined && { target_file: options.target }),
    started_at: startedAt.toISOString(),
    selection: selectionOf(options),
    profile,
    ...(edition && { claim: { edition: edition.version, later_clauses: laterClauses(edition, ledger) } }),
    seed,
    requests: tally.requests,
    paid: tally.paid,
    waited_s: tally.waitedSeconds,
    scenarios: all.map((one) => scenarioLine(one, edition)),
    checks: all.flatMap(({ checks }) => checks),
    waivers: waivers.waivers,
    properties: held.map(({ line }) => line),
    ...(notes.length > 0 && { notes }),
    ...(run.leftovers.length > 0 && { leftovers: run.leftovers }),
    ...(opinion && { second_opinion: opinion() }),
  };
  return deliver(conclude(ledger, run.mask.hideIn(evidence)), options, async () => ({
    trace: await tracer?.close(),
    waivers: waivers.text && run.mask.hide(waivers.text),
    key,
  }));
}

/** Plays the scenarios, then tries the properties, and tells how far it is. */
async function playAndHold(
  options: VerifyOptions,
  run: Run,
  { scenarios, properties, earlier }: Task,
  { seed, tracer }: { seed: number; tracer: Tracer | undefined },
): Promise<{ played: Played[]; held: Held[] }> {
  const { deadline } = run;
  const total = scenarios.length + properties.length;
  const tell = (done: number, scenario: string) => options.onProgress?.({ done, total, requests: run.tally.requests, scenario });
  const before = earlier?.scenarios ?? new Map<string, Played>();
  const left = scenarios.filter(({ name }) => !before.has(name));
  const now = await playAll(run, left, deadline, ({ scenario }, done) => tell(done, scenario.name), tracer);
  const rehearsal = openRehearsal(options);
  const onCase: Trial["onCase"] = (id, done, of) => tell(scenarios.length, `property:${id} ${done}/${of}`);
  const trial: Trial = { runs: options.runs, seed, deadline, rehearsal: rehearsal?.open, onCase };
  const held = await holdAll(run, properties, trial, earlier?.properties).finally(() => rehearsal?.close());
  const rest = now.values();
  return { played: scenarios.map(({ name }) => before.get(name) ?? (rest.next().value as Played)), held };
}

function selectionOf({ only = [], surface, shard }: VerifyOptions): Report["selection"] {
  return { only, ...(surface && { surface }), ...(shard && { shard }) };
}
