import type { ScenarioResult } from "../../execute/result.js";
import type { Run } from "../../execute/run.js";
import { executeOnce } from "../../execute/scenario.js";
import { total } from "../../scenario/demand.js";
import { needsOf } from "../../scenario/needs.js";
import type { Scenario } from "../../scenario/scenario.js";
import type { Suite } from "../../suite.js";
import type { Environment } from "../../target/environment.js";
import { thingOf } from "../target-gaps.js";
import type { EntryCheck } from "./thing.js";

const MOST_TRIES = 3;

/**
 * Tries the hooks and bindings of a target: plays, for each, the cheapest scenarios that use it, until one passes. What a scenario says of the
 * server is nobody's finding here.
 */
export async function checkHooks(
  suite: Suite,
  run: Run,
  { target }: Environment,
  playable: readonly Scenario[],
): Promise<EntryCheck[]> {
  const uses = new Map(playable.map((one) => [one, thingsOf(suite, run, one)]));
  const results = new Map<Scenario, ScenarioResult>();
  const found: EntryCheck[] = [];
  for (const thing of offered(suite, target)) {
    const candidates = playable.filter((one) => uses.get(one)?.has(thing)).toSorted((a, b) => costOf(a) - costOf(b));
    found.push(await tryOne(run, thing, candidates, results));
  }
  return found;
}

async function tryOne(
  run: Run,
  thing: string,
  candidates: readonly Scenario[],
  results: Map<Scenario, ScenarioResult>,
): Promise<EntryCheck> {
  if (candidates.length === 0)
    return { thing, state: "not tried", says: `no scenario that the profile ${run.profile} plays here uses it alone` };
  const known = candidates.find((one) => results.get(one)?.verdict === "passed");
  if (known) return { thing, state: "works", says: `${known.name} passed with it` };
  let last: ScenarioResult | undefined;
  for (const scenario of candidates.slice(0, MOST_TRIES)) {
    last = results.get(scenario) ?? (await executeOnce(run, scenario, `${run.id}-try-${results.size}`));
    results.set(scenario, last);
    if (last.verdict === "passed") return { thing, state: "works", says: `${scenario.name} passed with it` };
  }
  const why = `${last?.scenario.name}: ${last?.verdict}: ${last?.reason ?? "no reason is known"}`;
  return { thing, state: "unclear", says: why };
}

/** The hooks and bindings that a target has, tools apart: those are held against what the server lists. */
function offered({ target: rules }: Suite, { clock, drive, bindings }: Environment["target"]): string[] {
  const known = rules.names?.bindings ?? {};
  const named = Object.entries(bindings)
    .filter(([name]) => name !== "tools" && name !== "tool_args")
    .flatMap(([name, value]) =>
      known[name]?.parts?.needed === "each"
        ? Object.keys(value as object).map((part) => `bindings.${name}.${part}`)
        : [`bindings.${name}`],
    );
  return [...(clock ? ["a clock hook"] : []), ...Object.keys(drive).map((event) => `drive.${event}`), ...named];
}

function thingsOf({ target: rules }: Suite, run: Run, scenario: Scenario): Set<string> {
  const needs = needsOf(scenario, run.maxWaitSeconds);
  return new Set(needs.map((need) => thingOf(need, run.target, rules.names?.bindings ?? {})));
}

/** Requests, those that may cost many times over. */
function costOf({ demands }: Scenario): number {
  return total(demands, "count") + 20 * total(demands, "paid");
}
