import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nameOfCounterexample } from "../../property/counterexample.js";
import type { Report } from "../../report/report.js";
import { isFile } from "../../scenario/select.js";
import type { Suite } from "../../suite.js";
import { isLoopback } from "../../target/normalize.js";
import type { RunResult, VerifyOptions } from "../options.js";
import { compareFailures, countFailures, type Failures, failuresIn } from "./failures.js";
import { openRepeatedRuns, type RepeatedRuns } from "./repeated-runs.js";

/** Who is told how a watch goes. */
export interface WatchEvents {
  /** A run of all that is selected is over. */
  onReport(result: RunResult): Promise<void>;
  /** Something has changed. */
  say(line: string): void;
  /** A round is over. */
  onRound(round: number, failing: number): void;
}

/** Seconds between two rounds; longer where a round takes longer, so that a server is asked at most half of the time. */
const PAUSE = { shortest: 0.5, longest: 10 };

/**
 * Examines a server, and while something fails plays that again and again until it passes; then the whole once more, as what mends one
 * thing may break another. A server that is not there is waited for. Gives what the last run of the whole came to.
 */
export async function watch(suite: Suite, options: VerifyOptions, events: WatchEvents): Promise<RunResult> {
  const patience = openRepeatedRuns(suite, options, events.say);
  for (;;) {
    const whole = await patience.examine(options);
    if (!whole.report) return whole;
    await events.onReport(whole);
    const failures = failuresIn(whole.report);
    if (failures.size === 0 || patience.isOver()) return whole;
    const obstacle = whole.exitCode === 2 ? "what the target file gets wrong comes first" : tooDear(whole.report, options);
    if (obstacle !== undefined) {
      events.say(`nothing is played again: ${obstacle}`);
      return whole;
    }
    const left = await playAgain(whole.report, failures, options, { patience, events });
    if (left.size > 0) {
      events.say(`the watch is over: ${countOf(left)} still failing`);
      return whole;
    }
    events.say("all that failed passes now; playing the whole once more");
  }
}

/** Plays what failed until all of it passes, or the watch is over: what fails then. */
async function playAgain(
  report: Report,
  first: Failures,
  options: VerifyOptions,
  { patience, events }: { patience: RepeatedRuns; events: WatchEvents },
): Promise<Failures> {
  events.say(`watching ${countOf(first)} failing, played again until all pass; Ctrl-C ends`);
  const directory = mkdtempSync(join(tmpdir(), "counterpart-"));
  try {
    const files = counterexampleFiles(report, directory);
    let failures = first;
    for (let round = 1; failures.size > 0 && !patience.isOver(); round++) {
      const { out: _, signKey: __, onProgress: ___, ...rest } = options;
      const began = performance.now();
      const { report: played } = await patience.examine({ ...rest, ...selectionOf(options, failures, files) });
      if (!played) break;
      const change = compareFailures(failures, played);
      failures = change.failures;
      for (const line of change.lines) events.say(line);
      if (change.lines.length > 0 && failures.size > 0) events.say(`${countOf(failures)} still failing`);
      events.onRound(round, countFailures(failures));
      const seconds = (performance.now() - began) / 1000;
      if (failures.size > 0) await patience.pause(Math.min(Math.max(seconds, PAUSE.shortest), PAUSE.longest));
    }
    return failures;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The scenarios that fail, and no others of the files that they stand in. */
function selectionOf(
  { only = [] }: VerifyOptions,
  failures: Failures,
  files: ReadonlyMap<string, string>,
): Pick<VerifyOptions, "only" | "among"> {
  const names = [...failures.keys()];
  return { only: [...only.filter(isFile), ...names.map((name) => files.get(name) ?? name)], among: new Set(names) };
}

/** The counterexamples of properties as files, by their names. */
function counterexampleFiles({ properties }: Report, directory: string): Map<string, string> {
  return new Map(
    properties.flatMap(({ id, counterexample }): [string, string][] => {
      if (counterexample === undefined) return [];
      const file = join(directory, `${id}.yaml`);
      writeFileSync(file, counterexample);
      return [[nameOfCounterexample(id), file]];
    }),
  );
}

/** Somebody else's server is not asked again and again for what costs, unless it was said how much that may be. */
function tooDear({ profile, url }: Report, { budgetPaid }: VerifyOptions): string | undefined {
  const isDear = profile === "full" && budgetPaid === undefined && !isLoopback(new URL(url).hostname);
  return isDear ? "each time it may start paid work; say how much in all, with --budget-paid N" : undefined;
}

function countOf(failures: Failures): string {
  const count = countFailures(failures);
  return `${count} ${count === 1 ? "check" : "checks"}`;
}
