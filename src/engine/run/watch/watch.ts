import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nameCounterexample } from "../../property/counterexample.js";
import type { Report } from "../../report/report.js";
import { isFile } from "../../scenario/select.js";
import type { Suite } from "../../suite.js";
import { isLoopback } from "../../target/normalize.js";
import type { RunResult, VerifyOptions } from "../options.js";
import { collectFailures, compareFailures, countFailures, type Failures } from "./failures.js";
import { openRepeatedRuns, type RepeatedRuns } from "./repeated-runs.js";

/** Listeners for the events of a watch. */
export interface WatchEvents {
  /** Called after each run of the whole selection. */
  onReport(result: RunResult): Promise<void>;
  /** Gets a line for each change. */
  onLine(line: string): void;
  /** Called after each round. */
  onRound(round: number, failing: number): void;
}

/** Seconds between two rounds. A pause is as long as the round before it, within these limits. */
const PAUSE_SECONDS = { shortest: 0.5, longest: 10 };

/**
 * Examines a server, and repeats failing scenarios until they pass. Then examines the whole selection again, because a repair may break something else.
 * Waits for a server that is unavailable. Returns the result of the last whole run.
 */
export async function watch(suite: Suite, options: VerifyOptions, events: WatchEvents): Promise<RunResult> {
  const runs = openRepeatedRuns(suite, options, events.onLine);
  for (;;) {
    const runResult = await runs.examine(options);
    if (!runResult.report) return runResult;
    await events.onReport(runResult);
    const failures = collectFailures(runResult.report);
    if (failures.size === 0 || runs.isOver()) return runResult;
    const skipReason = runResult.exitCode === 2 ? "correct the target file first" : findCostProblem(runResult.report, options);
    if (skipReason !== undefined) {
      events.onLine(`failing scenarios are not repeated: ${skipReason}`);
      return runResult;
    }
    const remainingFailures = await repeatFailures(runResult.report, failures, options, { runs, events });
    if (remainingFailures.size > 0) {
      events.onLine(`the watch has ended: ${formatFailureCount(remainingFailures)} still failing`);
      return runResult;
    }
    events.onLine("all failing checks pass now; examining the whole selection again");
  }
}

/** Repeats failing scenarios until all pass or the watch ends. Returns the failures that remain. */
async function repeatFailures(
  report: Report,
  first: Failures,
  options: VerifyOptions,
  { runs, events }: { runs: RepeatedRuns; events: WatchEvents },
): Promise<Failures> {
  events.onLine(`${formatFailureCount(first)} failing; repeating them until all pass. Press Ctrl-C to end.`);
  const directory = mkdtempSync(join(tmpdir(), "counterpart-"));
  try {
    const files = writeCounterexamples(report, directory);
    let failures = first;
    for (let round = 1; failures.size > 0 && !runs.isOver(); round++) {
      const { out: _, signKey: __, onProgress: ___, ...rest } = options;
      const startedAt = performance.now();
      const { report: roundReport } = await runs.examine({ ...rest, ...createSelection(options, failures, files) });
      if (!roundReport) break;
      const change = compareFailures(failures, roundReport);
      failures = change.failures;
      for (const line of change.lines) events.onLine(line);
      if (change.lines.length > 0 && failures.size > 0) events.onLine(`${formatFailureCount(failures)} still failing`);
      events.onRound(round, countFailures(failures));
      const seconds = (performance.now() - startedAt) / 1000;
      if (failures.size > 0) await runs.pause(Math.min(Math.max(seconds, PAUSE_SECONDS.shortest), PAUSE_SECONDS.longest));
    }
    return failures;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Selects the failing scenarios, and no others in their files. */
function createSelection(
  { only = [] }: VerifyOptions,
  failures: Failures,
  files: ReadonlyMap<string, string>,
): Pick<VerifyOptions, "only" | "among"> {
  const names = [...failures.keys()];
  return { only: [...only.filter(isFile), ...names.map((name) => files.get(name) ?? name)], among: new Set(names) };
}

/** Writes the counterexamples of properties to files. Returns the files by scenario name. */
function writeCounterexamples({ properties }: Report, directory: string): Map<string, string> {
  return new Map(
    properties.flatMap(({ id, counterexample }): [string, string][] => {
      if (counterexample === undefined) return [];
      const file = join(directory, `${id}.yaml`);
      writeFileSync(file, counterexample);
      return [[nameCounterexample(id), file]];
    }),
  );
}

/** Returns a message if repeated runs may cost money: with the full profile, on a remote server, and without a budget. */
function findCostProblem({ profile, url }: Report, { budgetPaid }: VerifyOptions): string | undefined {
  const mayCost = profile === "full" && budgetPaid === undefined && !isLoopback(new URL(url).hostname);
  return mayCost ? "each run may start paid work. Set a limit for all runs with --budget-paid N." : undefined;
}

function formatFailureCount(failures: Failures): string {
  const count = countFailures(failures);
  return `${count} ${count === 1 ? "check" : "checks"}`;
}
