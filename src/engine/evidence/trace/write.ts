import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { jsonText } from "../../../common/escape/visible.js";
import { parseLine, textLinesOf } from "../../../common/json-lines.js";
import type { ScenarioResult } from "../../execute/result.js";
import type { Run } from "../../execute/run.js";
import { executeScenario, failingCheck } from "../../execute/scenario.js";
import type { Executor } from "../../execute/scenarios.js";
import type { Scenario } from "../../scenario/scenario.js";
import { type EventLine, isShortened, type RunFacts, type TraceLine } from "./line.js";
import { type Recording, record, runLine } from "./record.js";
import { openSizeBudget, TRACE_LIMITS, type TraceLimits } from "./size-budget.js";

/** A trace being written, scenario by scenario as they are executed, under a name of its own until it is whole. */
export interface Tracer extends Executor {
  /** How many answers are kept in part. */
  shortened(): number;
  /** Ends the file with what the run says of itself; throws what the file system throws, now or before. */
  close(facts: RunFacts): Promise<TraceDraft>;
  /** Takes the file away, unless it has been renamed. */
  discard(): Promise<void>;
}

/** A trace that is whole but not yet under its name. */
export interface TraceDraft {
  path: string;
  sha256: string;
}

/** An earlier trace, and the scenarios that a run takes over from it. */
export interface EarlierTrace {
  path: string;
  scenarios: { has(name: string): boolean };
}

/** Begins the trace of a run in a directory, which is made if need be. Secrets are masked before a line leaves the memory. */
export async function openTrace(
  directory: string,
  run: Run,
  earlier?: EarlierTrace,
  limits: TraceLimits = TRACE_LIMITS,
): Promise<Tracer> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, `trace.ndjson.${process.pid}.tmp`);
  const file = await open(path, "w");
  const removeNow = () => rmSync(path, { force: true });
  process.once("exit", removeNow); // of a run that is ended at once
  const digest = createHash("sha256");
  let written: Promise<void> = Promise.resolve();
  const budget = openSizeBudget(limits.run, limits);
  let shortened = 0;
  const write = (lines: readonly TraceLine[]) => {
    shortened += lines.filter(isShortened).length;
    return writeText(lines.map((line) => `${jsonText(line)}\n`).join(""));
  };
  const recordScenario = (run: Run, { name }: Scenario, unique: string) =>
    record(run, name, unique, openSizeBudget(limits.scenario, limits, budget));
  const writeText = (text: string): Promise<void> => {
    digest.update(text);
    budget.take(text.length);
    const before = written;
    written = before.then(() => file.appendFile(text));
    return written.catch(() => {}); // thrown again when the file is closed
  };
  for await (const line of earlier ? linesOf(earlier) : []) await write([line]);
  await write([runLine(run)]);
  return {
    ...executorOf(recordScenario, write),
    leaveOut: (result) => write([leftOutLine(result)]),
    draft() {
      const drafted: TraceLine[] = [];
      const keep = () => write(drafted);
      return { ...executorOf(recordScenario, async (lines) => void drafted.push(...lines)), keep };
    },
    shortened: () => shortened,
    async close(facts) {
      await write([{ kind: "end", facts }]);
      await written.finally(() => file.close());
      return { path, sha256: digest.digest("hex") };
    },
    async discard() {
      process.off("exit", removeNow);
      await file.close().catch(() => {});
      await rm(path, { force: true });
    },
  };
}

/** Executes what is recorded, and writes the lines of it. */
function executorOf(
  recordScenario: (run: Run, scenario: Scenario, unique: string) => Recording,
  write: (lines: readonly TraceLine[]) => Promise<void>,
): Pick<Executor, "execute" | "confirm"> {
  return {
    async execute(run, scenario, unique) {
      const recording = recordScenario(run, scenario, unique);
      const result = await executeScenario(recording.run, scenario, unique);
      await write(recording.end());
      return result;
    },
    async confirm(run, scenario, unique) {
      const recording = recordScenario(run, scenario, unique);
      const failed = await failingCheck(recording.run, scenario, unique);
      const lines = recording.end();
      if (failed) await write(lines);
      return failed;
    },
  };
}

/** Yields the lines of an earlier trace that are taken over, each run's line before the first of its own. */
async function* linesOf({ path, scenarios }: EarlierTrace): AsyncGenerator<TraceLine> {
  let run: TraceLine | undefined;
  for await (const text of textLinesOf(path)) {
    const read = parseLine(text);
    if (!read.ok) throw new Error(`${path}: line ${text.number} ${read.why}`);
    const line = read.value as TraceLine;
    if (line.kind === "run") run = line;
    else if (line.kind !== "end" && scenarios.has(line.scenario)) {
      if (run) yield run;
      run = undefined;
      yield line;
    }
  }
}

/** The line of a scenario that was not executed. */
function leftOutLine({ scenario, reason = "" }: ScenarioResult): EventLine {
  return { scenario: scenario.name, n: 0, kind: "left-out", reason };
}
