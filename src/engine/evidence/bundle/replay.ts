import type { Check } from "../../execute/check.js";
import type { ScenarioResult } from "../../execute/result.js";
import type { Run } from "../../execute/run.js";
import { executeScenario, failingCheck } from "../../execute/scenario.js";
import type { Scenario } from "../../scenario/scenario.js";
import { isShortened, type RunFacts, type RunLine } from "../trace/line.js";
import { readTrace, type ScenarioTrace } from "../trace/read.js";
import { replay } from "../trace/replay.js";
import type { PropertyScenario } from "./counterexamples.js";

/** What is executed again, and how. */
export interface ReplayInput {
  scenarios: readonly Scenario[];
  /** By the names that they have in a trace. */
  counterexamples: ReadonlyMap<string, PropertyScenario>;
  /** A run as the trace says it was begun, but for what it is answered. */
  startRun(line: RunLine): Run;
}

/** One run of a trace, or one shard: its scenarios, how many answers it holds in part, and what it says of itself. */
export interface RunPart {
  line: RunLine;
  scenarios: ReadonlySet<string>;
  shortened: number;
  facts: RunFacts;
}

/** What executing scenarios again came to, with the answers of a trace. */
export interface TraceResults {
  scenarios: Map<string, ScenarioResult>;
  /** The runs that the trace is of, one a shard. */
  runs: RunPart[];
  /** The failures of properties that came again, by the property as checks name it. */
  counterexamples: Map<string, Check>;
  /** Where an execution went another way than the trace. */
  divergences: { scenario?: string; why: string }[];
  /** Why the trace is not one that this package has written: then the rest of it was not read. */
  mistake?: string;
  /** Of how many answers the trace holds a part only, by scenario. */
  shortened: Map<string, number>;
}

/** Executes again, on the answers of a trace, every scenario that is in it; nothing is sent. */
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
  const diverge = (scenario: string, divergence: string | undefined) =>
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
    const cut = lines.filter(isShortened).length;
    if (cut > 0) shortened.set(name, cut);
    part.shortened += cut;
    const [scenario, counterexample] = [byName.get(name), input.counterexamples.get(name)];
    if (counterexample) {
      const { result, divergence } = await replayCounterexample(counterexample.scenario, trace, input);
      if (result) counterexamples.set(counterexample.property, result);
      diverge(name, divergence);
    } else if (scenario) {
      const { result, divergence } = await replayScenario(scenario, trace, input);
      scenarios.set(name, result ?? { scenario, verdict: "harness-error", requests: 0, checks: [] });
      diverge(name, divergence);
    } else divergences.push({ why: `${name} is not among the scenarios that were selected` });
  }
  return results;
}

/** What an execution on a trace came to, without secrets, and where it went another way. */
interface ReplayResult<Result> {
  result?: Result;
  divergence?: string;
}

async function replayCounterexample(scenario: Scenario, trace: ScenarioTrace, input: ReplayInput): Promise<ReplayResult<Check>> {
  const { result, divergence } = await replayLines(trace, input, (run, unique) => failingCheck(run, scenario, unique));
  if (divergence !== undefined) return { divergence };
  return result ? { result } : { divergence: "it does not fail when it is played again" };
}

async function replayScenario(
  scenario: Scenario,
  trace: ScenarioTrace,
  input: ReplayInput,
): Promise<ReplayResult<ScenarioResult>> {
  const [first] = trace.lines;
  if (first?.kind === "left-out" && trace.lines.length === 1)
    return { result: { scenario, verdict: "not-observed", reason: first.reason, requests: 0, checks: [] } };
  const { result, ...rest } = await replayLines(trace, input, async (run, unique) => {
    const { scenario: _, ...result } = await executeScenario(run, scenario, unique);
    return result;
  });
  return { ...(result && { result: { ...result, scenario } }), ...rest };
}

async function replayLines<Result>(
  { run: line, lines }: ScenarioTrace,
  { startRun }: ReplayInput,
  execute: (run: Run, unique: string) => Promise<Result>,
): Promise<ReplayResult<Result>> {
  const [first] = lines;
  if (first?.kind !== "begin") return { divergence: "its first line does not say how it began" };
  const { run, divergence } = replay(startRun(line), lines);
  const result = run.mask.hideIn(await execute(run, first.unique));
  const found = divergence();
  return { result, ...(found !== undefined && { divergence: found }) };
}
