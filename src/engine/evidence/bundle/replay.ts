import type { Check } from "../../execute/check.js";
import type { ScenarioResult, StopVerdict } from "../../execute/result.js";
import type { Run } from "../../execute/run.js";
import { executeScenario, findFailingCheck } from "../../execute/scenario.js";
import type { Scenario } from "../../scenario/scenario.js";
import { isShortened, type RunFacts, type RunLine } from "../trace/line.js";
import { readTrace, type ScenarioTrace } from "../trace/read.js";
import { replay } from "../trace/replay.js";
import type { PropertyScenario } from "./counterexamples.js";

/** The scenarios to execute again, and their run. */
export interface ReplayInput {
  scenarios: readonly Scenario[];
  /** Counterexamples by their scenario name in the trace. */
  counterexamples: ReadonlyMap<string, PropertyScenario>;
  /** Starts a run with the recorded settings of a run. The responses come from the trace. */
  startRun(line: RunLine): Run;
}

/** One run or shard of a trace: its settings, its scenarios, the number of its shortened responses, and its facts. */
export interface RunPart {
  line: RunLine;
  scenarios: ReadonlySet<string>;
  shortened: number;
  facts: RunFacts;
}

/** The results of executing scenarios again with the responses of a trace. */
export interface TraceResults {
  scenarios: Map<string, ScenarioResult>;
  /** The runs of the trace, one for each shard. */
  runs: RunPart[];
  /** The property failures that occurred again, by `property:ID`. */
  counterexamples: Map<string, Check>;
  /** Differences between the executions and the trace. */
  divergences: { scenario?: string; why: string }[];
  /** The first mistake in the trace. The lines after it were not read. */
  mistake?: string;
  /** Number of shortened responses, by scenario. */
  shortened: Map<string, number>;
}

/** Executes every scenario of a trace again with the recorded responses. Sends nothing. */
export async function replayTrace(path: string, input: ReplayInput): Promise<TraceResults> {
  const byName = new Map(input.scenarios.map((scenario) => [scenario.name, scenario]));
  const results: TraceResults = {
    scenarios: new Map(),
    runs: [],
    counterexamples: new Map(),
    divergences: [],
    shortened: new Map(),
  };
  const { scenarios, counterexamples, divergences, shortened } = results;
  const findDivergence = (scenario: string, divergence: string | undefined) =>
    divergence !== undefined && divergences.push({ scenario, why: `${scenario}: ${divergence}` });
  let part = { scenarios: new Set<string>(), shortened: 0 };
  for await (const trace of readTrace(path)) {
    if ("mistake" in trace) return { ...results, mistake: trace.mistake };
    if ("end" in trace) {
      results.runs.push({ ...part, line: trace.run, facts: trace.end.facts });
      part = { scenarios: new Set(), shortened: 0 };
      continue;
    }
    const { scenario: name, lines } = trace;
    part.scenarios.add(name);
    const cutCount = lines.filter(isShortened).length;
    if (cutCount > 0) shortened.set(name, cutCount);
    part.shortened += cutCount;
    const [scenario, counterexample] = [byName.get(name), input.counterexamples.get(name)];
    if (counterexample) {
      const { result, divergence } = await replayCounterexample(counterexample.scenario, trace, input);
      if (result) counterexamples.set(counterexample.property, result);
      findDivergence(name, divergence);
    } else if (scenario) {
      const { result, divergence } = await replayScenario(scenario, trace, input);
      scenarios.set(name, result ?? { scenario, verdict: "harness-error", requests: 0, checks: [] });
      findDivergence(name, divergence);
    } else divergences.push({ why: `${name} is in the trace but was not selected` });
  }
  return results;
}

/** The result of a replayed execution without secrets, and its first difference from the trace. */
interface ReplayResult<Result> {
  result?: Result;
  divergence?: string;
}

async function replayCounterexample(scenario: Scenario, trace: ScenarioTrace, input: ReplayInput): Promise<ReplayResult<Check>> {
  const { result, divergence } = await replayLines(trace, input, (run, unique) => findFailingCheck(run, scenario, unique));
  if (divergence !== undefined) return { divergence };
  return result ? { result } : { divergence: "it does not fail when it is replayed" };
}

async function replayScenario(
  scenario: Scenario,
  trace: ScenarioTrace,
  input: ReplayInput,
): Promise<ReplayResult<ScenarioResult>> {
  const [first] = trace.lines;
  if (first?.kind === "left-out" && trace.lines.length === 1)
    return { result: { scenario, ...createSkippedVerdict(first), requests: 0, checks: [] } };
  const { result, ...rest } = await replayLines(trace, input, async (run, unique) => {
    const { scenario: _, ...result } = await executeScenario(run, scenario, unique);
    return result;
  });
  return { ...(result && { result: { ...result, scenario } }), ...rest };
}

/** Returns the verdict that a line gives a scenario: it lacks an item, such as a longer deadline, or the run had stopped. */
function createSkippedVerdict({ reason, missing }: Extract<ScenarioTrace["lines"][number], { kind: "left-out" }>): StopVerdict {
  return missing ? { verdict: "not-applicable", reason, missing } : { verdict: "not-observed", reason };
}

async function replayLines<Result>(
  { run: line, lines }: ScenarioTrace,
  { startRun }: ReplayInput,
  execute: (run: Run, unique: string) => Promise<Result>,
): Promise<ReplayResult<Result>> {
  const [first] = lines;
  if (first?.kind !== "begin") return { divergence: "its first line is not a begin event" };
  const { run, divergence } = replay(startRun(line), lines);
  const result = run.mask.hideIn(await execute(run, first.unique));
  const found = divergence();
  return { result, ...(found !== undefined && { divergence: found }) };
}
