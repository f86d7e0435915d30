import { type RateUse, ratesUsed } from "../../pacing/rate-use.js";
import type { Pace } from "../../pacing/sliding-window.js";
import { paceOf } from "../../pacing/throttle.js";
import type { Property } from "../../property/property.js";
import { total } from "../../scenario/demand.js";
import type { Demand } from "../../scenario/scenario.js";
import type { Suite } from "../../suite.js";
import type { Target } from "../../target/target.js";
import type { VerifyOptions } from "../options.js";
import { openSandbox } from "../sandbox.js";

/** What the cases of some properties come to, about. */
export interface PropertyCost {
  requests: number;
  paid: number;
  /** Real time that they wait for room below rates; none where each case has a world, or the clock is moved. */
  minutes: number;
  /** Rates that they count against, those first that hold them up longest. */
  rates: RateUse[];
}

/** Estimates what the cases of these properties come to; undefined where there are none, or no sandbox to run a sample in. */
export async function estimateProperties(
  suite: Suite,
  options: VerifyOptions,
  target: Target,
  checks: readonly { property: Property; line: { runs: number } }[],
): Promise<PropertyCost | undefined> {
  const wanted = checks.filter(({ line }) => line.runs > 0);
  const sandbox = wanted.length > 0 ? openSandbox(suite, options) : undefined;
  if (!sandbox) return undefined;
  const { CASES, sampleDemands } = await import("./sample.js"); // loads what draws cases
  const properties = wanted.map(({ property }) => property);
  const sampled = await sandbox
    .open()
    .then((run) => sampleDemands(run, target, properties, options.seed ?? 1))
    .finally(() => sandbox.close());
  const demands = wanted.map(({ property: { id }, line }) => (sampled.get(id) ?? []).map(times(line.runs / CASES)));
  return costOf(suite, demands, target.worlds || target.clock ? undefined : paceOf(target, options.shard));
}

/** What the demands of each property come to at a pace; without one nothing waits. */
function costOf({ rates: rules }: Suite, demands: readonly Demand[][], pace: Pace | undefined): PropertyCost {
  const all = demands.flat();
  const rates = ratesUsed(rules, all, pace);
  const longest = (uses: readonly RateUse[]) => Math.max(0, ...uses.map(({ minutes }) => minutes));
  // One property comes after the other, and each fills buckets of its own, as far as those are not the same.
  const oneByOne = demands.reduce((minutes, own) => minutes + longest(ratesUsed(rules, own, pace)), 0);
  return {
    requests: Math.round(total(all, "count")),
    paid: Math.round(total(all, "paid")),
    minutes: Math.max(oneByOne, longest(rates)),
    rates: rates.map((use) => ({ ...use, requests: Math.round(use.requests), most: Math.round(use.most) })),
  };
}

function times(factor: number): (demand: Demand) => Demand {
  return (demand) => ({
    ...demand,
    count: demand.count * factor,
    paid: demand.paid * factor,
    paidIfTaken: demand.paidIfTaken * factor,
  });
}
