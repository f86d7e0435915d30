import type { ScenarioResult } from "../../execute/result.js";
import type { Run } from "../../execute/run.js";
import { executeOnce } from "../../execute/scenario.js";
import { sumDemands } from "../../scenario/demand.js";
import { listNeeds } from "../../scenario/needs.js";
import type { Scenario } from "../../scenario/scenario.js";
import type { Suite } from "../../suite.js";
import type { Environment } from "../../target/environment.js";
import { describeItem } from "../../target/needs.js";
import type { EntryCheck } from "./check-credentials.js";
import { checkEffects } from "./check-effects.js";

const MAX_SCENARIOS = 3;

/**
 * Checks the hooks and bindings of a target. Calls each hook whose effect callers can see, and reads the effect. For each other entry, executes the
 * cheapest scenarios that use it, up to three, until one passes. Failures of scenarios are not findings here.
 */
export async function checkHooks(
  suite: Suite,
  run: Run,
  { target }: Environment,
  executable: readonly Scenario[],
): Promise<EntryCheck[]> {
  const uses = new Map(executable.map((scenario) => [scenario, listItems(suite, run, scenario)]));
  const results = new Map<Scenario, ScenarioResult>();
  const entryChecks: EntryCheck[] = [];
  for (const entry of listEntries(suite, target)) {
    const effects = suite.target.names?.hookEffects?.[entry];
    if (effects) {
      entryChecks.push(await checkEffects(run, entry, effects));
      continue;
    }
    const candidates = executable
      .filter((scenario) => uses.get(scenario)?.has(entry))
      .toSorted((a, b) => computeCost(a) - computeCost(b));
    entryChecks.push(await checkOne(run, entry, candidates, results));
  }
  return entryChecks;
}

async function checkOne(
  run: Run,
  entry: string,
  candidates: readonly Scenario[],
  results: Map<Scenario, ScenarioResult>,
): Promise<EntryCheck> {
  if (candidates.length === 0)
    return { entry, state: "not tried", message: `the profile ${run.profile} has no executable scenario that uses it` };
  const candidate = candidates.find((candidate) => results.get(candidate)?.verdict === "passed");
  if (candidate) return { entry, state: "works", message: `${candidate.name} passed with it` };
  let last: ScenarioResult | undefined;
  for (const scenario of candidates.slice(0, MAX_SCENARIOS)) {
    last = results.get(scenario) ?? (await executeOnce(run, scenario, `${run.id}-check-${results.size}`));
    results.set(scenario, last);
    if (last.verdict === "passed") return { entry, state: "works", message: `${scenario.name} passed with it` };
  }
  const why = `${last?.scenario.name}: ${last?.verdict}: ${last?.reason ?? "no reason is known"}`;
  return { entry, state: "unclear", message: why };
}

/** Returns the hooks and bindings of a target. Tools are checked against the server's list instead. */
function listEntries({ target: rules }: Suite, { clock, drive, bindings }: Environment["target"]): string[] {
  const known = rules.names?.bindings ?? {};
  const named = Object.entries(bindings)
    .filter(([name]) => name !== "tools" && name !== "tool_args")
    .flatMap(([name, value]) =>
      known[name]?.parts?.needed === "each"
        ? Object.keys(value as object).map((part) => `bindings.${name}.${part}`)
        : [`bindings.${name}`],
    );
  return [...(clock ? ["clock"] : []), ...Object.keys(drive).map((event) => `drive.${event}`), ...named];
}

function listItems({ target: rules }: Suite, run: Run, scenario: Scenario): Set<string> {
  const needs = listNeeds(scenario, run.maxWaitSeconds);
  return new Set(needs.map((need) => describeItem(need, run.target, rules.names)));
}

/** Returns the number of requests; a request that may cost counts 21 times. */
function computeCost({ demands }: Scenario): number {
  return sumDemands(demands, "count") + 20 * sumDemands(demands, "paid");
}
