import { rmSync } from "node:fs";
import { join } from "node:path";
import { bundleFiles } from "../evidence/bundle/files.js";
import { writeFiles } from "../evidence/bundle/write.js";
import type { ScenarioResult } from "../execute/result.js";
import type { PropertyResult } from "../property/result.js";
import { formatReport, formFiles } from "../report/forms.js";
import type { Suite } from "../suite.js";
import { judgeEvidence } from "../verdict/judge.js";
import { collectEvidence, type StepResults } from "./evidence.js";
import type { VerifyOptions } from "./options.js";
import type { RunInput } from "./prepare.js";
import type { Recorders } from "./recorders.js";

/** Writes the report of a run while the run goes on, so that `--resume` works even after the process was killed. */
export interface Checkpoints {
  onScenario(result: ScenarioResult): void;
  onProperty(result: PropertyResult): void;
  /** Waits for the last write. Throws nothing, because the final report reports a directory that cannot be written. */
  close(): Promise<void>;
}

/** The minimum time between two reports, and its ratio to the time for writing one. */
const PAUSE_RULES = { minMs: 2000, timesWriting: 50 };

/** The parts of a run that each of its reports has in common. */
interface RunParts {
  suite: Suite;
  options: VerifyOptions;
  input: RunInput;
  recorders: Recorders;
  common: Pick<StepResults, "startedAt" | "notes">;
}

/** Opens the checkpoints of a run. Without an output directory they do nothing. */
export function openCheckpoints(parts: RunParts): Checkpoints {
  const { out } = parts.options;
  const { earlier } = parts.input;
  const scenarios = new Map(earlier?.scenarios);
  const properties = new Map(earlier?.properties);
  let writing = Promise.resolve();
  let isWriting = false;
  let nextAt = 0;
  let isFirst = true;
  const write = async (directory: string) => {
    const startedAt = Date.now();
    if (isFirst) removeOldBundle(directory);
    isFirst = false;
    await writeFiles(directory, [{ name: bundleFiles.report, text: createCheckpointReport(parts, scenarios, properties) }]).catch(
      () => {},
    );
    nextAt = Date.now() + Math.max(PAUSE_RULES.minMs, (Date.now() - startedAt) * PAUSE_RULES.timesWriting);
    isWriting = false;
  };
  const check = () => {
    if (out === undefined || isWriting || Date.now() < nextAt) return;
    isWriting = true;
    writing = write(out);
  };
  return {
    onScenario(result) {
      scenarios.set(result.scenario.name, result);
      check();
    },
    onProperty(result) {
      properties.set(result.line.id, result);
      check();
    },
    close: () => writing,
  };
}

/** Returns the text of a report in which all scenarios without a result are `not-observed`. */
function createCheckpointReport(
  { suite, options, input, recorders, common }: RunParts,
  scenarios: ReadonlyMap<string, ScenarioResult>,
  properties: ReadonlyMap<string, PropertyResult>,
): string {
  const open = { verdict: "not-observed" as const, reason: "the run has not ended", requests: 0, checks: [] };
  const evidence = collectEvidence(suite, options, input, recorders, {
    ...common,
    scenarios: input.scenarios.map((scenario) => scenarios.get(scenario.name) ?? { scenario, ...open }),
    properties: input.properties.flatMap(({ id }) => properties.get(id) ?? []),
  });
  return formatReport(judgeEvidence(suite, evidence).report);
}

/** Removes the files of an earlier bundle that the report of this run would contradict. */
function removeOldBundle(directory: string): void {
  const { statement, envelope, trace } = bundleFiles;
  for (const name of [statement, envelope, trace, ...formFiles]) rmSync(join(directory, name), { force: true });
}
