import { createHash } from "node:crypto";
import { constants, rmSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { makeDirectory } from "../../../common/directory.js";
import { parseLine, readTextLines } from "../../../common/json-lines.js";
import { outputFlags } from "../../../common/user-file.js";
import type { ScenarioResult } from "../../execute/result.js";
import type { Run } from "../../execute/run.js";
import { executeScenario, findFailingCheck } from "../../execute/scenario.js";
import type { Executor } from "../../execute/scenarios.js";
import type { Scenario } from "../../scenario/scenario.js";
import { createDraftPath } from "./draft.js";
import { type EventLine, formatLine, isShortened, type RunFacts, type TraceLine } from "./line.js";
import { createRunLine, type Recording, record } from "./record.js";
import { openSizeBudget, TRACE_LIMITS, type TraceLimits } from "./size-budget.js";

/** Executes scenarios and writes their trace to a temporary file. */
export interface Tracer extends Executor {
  /** Returns the number of shortened response bodies. */
  shortened(): number;
  /** Writes the end of the run and closes the file. Throws errors of the file system, also earlier ones. */
  close(facts: RunFacts): Promise<TraceDraft>;
  /** Removes the temporary file, unless it was renamed. */
  discard(): Promise<void>;
}

/** A complete trace in its temporary file. */
export interface TraceDraft {
  path: string;
  sha256: string;
}

/** The trace of an earlier run, and the scenarios that a resumed run copies from it. */
export interface EarlierTrace {
  path: string;
  scenarios: { has(name: string): boolean };
  /** Whether a killed run left it. It is removed after it was copied. */
  isDraft?: true;
}

/** Starts the trace of a run in a directory, which it creates if necessary. Masks secrets before it writes a line. */
export async function openTrace(
  directory: string,
  run: Run,
  earlier?: EarlierTrace,
  limits: TraceLimits = TRACE_LIMITS,
): Promise<Tracer> {
  makeDirectory(directory);
  const path = createDraftPath(directory);
  const file = await open(path, outputFlags | constants.O_TRUNC);
  const removeNow = () => rmSync(path, { force: true });
  process.once("exit", removeNow); // if the process exits before the run ends
  const digest = createHash("sha256");
  let written: Promise<void> = Promise.resolve();
  const budget = openSizeBudget(limits.run, limits);
  let shortened = 0;
  const write = (lines: readonly TraceLine[]) => {
    shortened += lines.filter(isShortened).length;
    return writeText(lines.map((line) => `${formatLine(line)}\n`).join(""));
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
  for await (const line of earlier ? readLines(earlier) : []) await write([line]);
  if (earlier?.isDraft) await rm(earlier.path, { force: true });
  await write([createRunLine(run)]);
  return {
    ...createExecutor(recordScenario, write),
    leaveOut: (result) => write([createLeftOutLine(result)]),
    draft() {
      const drafted: TraceLine[] = [];
      const keep = () => write(drafted);
      return { ...createExecutor(recordScenario, async (lines) => void drafted.push(...lines)), keep };
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

/** Returns functions that execute a scenario and write its lines. */
function createExecutor(
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
      const check = await findFailingCheck(recording.run, scenario, unique);
      const lines = recording.end();
      if (check) await write(lines);
      return check;
    },
  };
}

/** Yields the lines to copy from an earlier trace. The line of a run precedes its first scenario. */
async function* readLines({ path, scenarios, isDraft }: EarlierTrace): AsyncGenerator<TraceLine> {
  let run: TraceLine | undefined;
  for await (const text of readTextLines(path)) {
    const result = parseLine(text);
    if (!result.ok && isDraft) return; // the run was killed while it wrote this line
    if (!result.ok) throw new Error(`${path}: line ${text.number} ${result.why}`);
    const line = result.value as TraceLine;
    if (line.kind === "run") run = line;
    else if (line.kind !== "end" && scenarios.has(line.scenario)) {
      if (run) yield run;
      run = undefined;
      yield line;
    }
  }
}

/** Returns the line of a scenario that was not executed. */
function createLeftOutLine({ scenario, reason = "", missing }: ScenarioResult): EventLine {
  return { scenario: scenario.name, n: 0, kind: "left-out", reason, ...(missing && { missing }) };
}
