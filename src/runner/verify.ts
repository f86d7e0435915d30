import { randomInt } from "node:crypto";
import { choose } from "./choose.js";
import { conclude, type Evidence } from "./conclude.js";
import { deliver } from "./deliver.js";
import type { Verdict } from "./play/check.js";
import type { Profile } from "./play/effects.js";
import { type Played, playScenario } from "./play/play.js";
import type { Run } from "./play/run.js";
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
  /** Runs of each property; none exist yet. */
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
  /** Environment variables that target files may name. Default: this process's. */
  env?: Environment;
}

/** How far a run is. */
export interface Progress {
  done: number;
  total: number;
  requests: number;
  scenario: string;
  verdict: Verdict;
}

/** What came of a run: the report, or the sentences that say why there is none. Exit codes as in the command line's. */
export interface RunResult {
  exitCode: 0 | 1 | 2 | 3 | 4;
  report?: Report;
  messages: string[];
}

const SIDE_BY_SIDE = 6;

/** What is examined: the chosen scenarios, and what the user says beside. */
interface Task {
  scenarios: readonly Scenario[];
  suite: Report["suite"];
  waivers: readonly Waiver[];
  opinion?: (() => SecondOpinion) | undefined;
}

/** Examines one server: selects scenarios, plays them, judges the clauses. Never throws for what a server or a user does. */
export async function verify(options: VerifyOptions): Promise<RunResult> {
  const chosen = choose(options);
  const waived = options.waivers === undefined ? { ok: true as const, waivers: [] } : readWaivers(options.waivers, ledger);
  if (!chosen.ok || !waived.ok)
    return { exitCode: 2, messages: [...(chosen.ok ? [] : chosen.mistakes), ...(waived.ok ? [] : waived.mistakes)] };
  const { scenarios, suite } = chosen;
  return onTarget(options, async (target, wire) => {
    const answer = await wire.send({ method: "GET", url: target.urls.api, headers: {} });
    if (answer.failure) return { exitCode: 4, messages: [`${target.urls.api} cannot be examined: ${answer.failure.message}.`] };
    const { waivers } = waived;
    return withSecondOpinion(options, target, wire, (through, opinion) =>
      examine(options, startRun(options, target, through), { scenarios, suite, waivers, opinion }),
    );
  });
}

async function examine(options: VerifyOptions, run: Run, { scenarios, suite, waivers, opinion }: Task): Promise<RunResult> {
  const startedAt = new Date();
  const played = await playAll(options, run, scenarios);
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
    seed: options.seed ?? randomInt(2 ** 31),
    requests: tally.requests,
    paid: tally.paid,
    waited_s: tally.waitedSeconds,
    scenarios: played.map(scenarioLine),
    checks: played.flatMap(({ checks }) => checks),
    waivers,
    properties: [],
    ...(opinion && { second_opinion: opinion() }),
  };
  return deliver(conclude(ledger, run.mask.hideIn(evidence)), options);
}

/** Plays scenarios side by side where each has its own world, else one after the other. The order of results is the suite's. */
async function playAll(options: VerifyOptions, run: Run, scenarios: readonly Scenario[]): Promise<Played[]> {
  const deadline = Date.now() + (options.maxTime ?? Number.POSITIVE_INFINITY) * 1000;
  const played: Played[] = [];
  let next = 0;
  let done = 0;
  const work = async () => {
    for (let index = next++; index < scenarios.length; index = next++) {
      const scenario = scenarios[index] as Scenario;
      const stop = run.signal.aborted
        ? "the run was stopped"
        : Date.now() > deadline
          ? "the time of the run was used up"
          : undefined;
      const result =
        stop === undefined
          ? await playScenario(run, scenario, `${run.id}-${index}`)
          : { scenario, verdict: "not-observed" as const, reason: stop, requests: 0, checks: [] };
      played[index] = result;
      done += 1;
      options.onProgress?.({
        done,
        total: scenarios.length,
        requests: run.tally.requests,
        scenario: scenario.name,
        verdict: result.verdict,
      });
    }
  };
  await Promise.all(Array.from({ length: run.target.worlds ? SIDE_BY_SIDE : 1 }, work));
  return played;
}
