import { randomInt } from "node:crypto";
import { choose } from "./choose.js";
import { conclude, type Evidence } from "./conclude.js";
import { deliver } from "./deliver.js";
import type { Profile } from "./play/effects.js";
import type { Played } from "./play/play.js";
import { playAll } from "./play/play-all.js";
import type { Run } from "./play/run.js";
import { chooseProperties } from "./property/choose.js";
import type { Held } from "./property/held.js";
import type { Trial } from "./property/hold.js";
import { holdAll } from "./property/hold-all.js";
import type { Property } from "./property/property.js";
import { openRehearsal } from "./property/rehearsal.js";
import type { FileForm } from "./report/files.js";
import { type Report, type SecondOpinion, scenarioLine } from "./report/report.js";
import type { Scenario } from "./scenario/format.js";
import { withSecondOpinion } from "./second-opinion.js";
import { onTarget, startRun } from "./start.js";
import { ledger } from "./suite.js";
import type { Environment } from "./target/target.js";
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
  /** Directory for report.json and the other forms. */
  out?: string;
  /** Forms that are written beside report.json. */
  forms?: readonly FileForm[];
  /** Directory of scenarios. Default: the suite of this package. */
  scenarios?: string;
  /** Stops the run: plays end after the step they are in, `finally` steps still run. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
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
  waivers: readonly Waiver[];
  opinion?: (() => SecondOpinion) | undefined;
}

/** Examines one server: selects scenarios and properties, plays them, judges the clauses. Never throws for what a server or a user does. */
export async function verify(options: VerifyOptions): Promise<RunResult> {
  const chosen = choose(options);
  const waived = options.waivers === undefined ? { ok: true as const, waivers: [] } : readWaivers(options.waivers, ledger);
  if (!chosen.ok || !waived.ok)
    return { exitCode: 2, messages: [...(chosen.ok ? [] : chosen.mistakes), ...(waived.ok ? [] : waived.mistakes)] };
  const { scenarios, suite } = chosen;
  const properties = await chooseProperties(options, ledger);
  if (scenarios.length + properties.length === 0)
    return { exitCode: 2, messages: ["nothing is selected: no property fits --only, --surface, --shard and --runs"] };
  return onTarget(options, async (target, wire) => {
    const answer = await wire.send({ method: "GET", url: target.urls.api, headers: {} });
    if (answer.failure) return { exitCode: 4, messages: [`${target.urls.api} cannot be examined: ${answer.failure.message}.`] };
    const { waivers } = waived;
    return withSecondOpinion(options, target, wire, (through, opinion) =>
      examine(options, startRun(options, target, through), { scenarios, properties, suite, waivers, opinion }),
    );
  });
}

async function examine(options: VerifyOptions, run: Run, task: Task): Promise<RunResult> {
  const { suite, waivers, opinion } = task;
  const startedAt = new Date();
  const seed = options.seed ?? randomInt(2 ** 31);
  const { played, held } = await playAndHold(options, run, task, seed);
  const all = [...played, ...held.map((one) => one.played)];
  const { target, tally, profile } = run;
  const { only = [], surface, shard } = options;
  const evidence: Evidence = {
    suite,
    target: target.name,
    url: target.urls.api,
    ...(options.target !== undefined && { target_file: options.target }),
    started_at: startedAt.toISOString(),
    selection: { only, ...(surface && { surface }), ...(shard && { shard }) },
    profile,
    seed,
    requests: tally.requests,
    paid: tally.paid,
    waited_s: tally.waitedSeconds,
    scenarios: all.map(scenarioLine),
    checks: all.flatMap(({ checks }) => checks),
    waivers,
    properties: held.map(({ line }) => line),
    ...(opinion && { second_opinion: opinion() }),
  };
  return deliver(conclude(ledger, run.mask.hideIn(evidence)), options);
}

/** Plays the scenarios, then tries the properties, and tells how far it is. */
async function playAndHold(
  options: VerifyOptions,
  run: Run,
  { scenarios, properties }: Task,
  seed: number,
): Promise<{ played: Played[]; held: Held[] }> {
  const deadline = Date.now() + (options.maxTime ?? Number.POSITIVE_INFINITY) * 1000;
  const total = scenarios.length + properties.length;
  const tell = (done: number, scenario: string) => options.onProgress?.({ done, total, requests: run.tally.requests, scenario });
  const played = await playAll(run, scenarios, deadline, ({ scenario }, done) => tell(done, scenario.name));
  const rehearsal = openRehearsal(options, run);
  const onCase: Trial["onCase"] = (id, done, of) => tell(scenarios.length, `property:${id} ${done}/${of}`);
  const trial: Trial = { runs: options.runs, seed, deadline, rehearsal: rehearsal?.open, onCase };
  const held = await holdAll(run, properties, trial).finally(() => rehearsal?.close());
  return { played, held };
}
