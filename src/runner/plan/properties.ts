import { paceOf } from "../governor.js";
import type { VerifyOptions } from "../options.js";
import { type Demand, total } from "../play/demand.js";
import type { Property } from "../property/property.js";
import { openRehearsal } from "../property/rehearsal.js";
import type { Target } from "../target/target.js";
import { type RateUse, ratesUsed } from "./rates.js";

/** What the cases of some properties come to, about. */
export interface PropertyCost {
  requests: number;
  paid: number;
  /** Real time that they wait for room below rates; none where each case has a world, or the clock is moved. */
  minutes: number;
  /** Rates that they count against, those first that hold them up longest. */
  rates: RateUse[];
}

/** Reckons what so many cases of each property come to; undefined where there is nothing to try, or nowhere to try it. */
export async function costOf(
  options: VerifyOptions,
  target: Target,
  tried: readonly { property: Property; cases: number }[],
): Promise<PropertyCost | undefined> {
  const rehearsal = tried.length > 0 ? openRehearsal(options) : undefined;
  if (!rehearsal) return undefined;
  const { CASES, sampleDemands } = await import("./sample.js"); // loads what draws cases
  const properties = tried.map(({ property }) => property);
  const sampled = await rehearsal
    .open()
    .then((run) => sampleDemands(run, target, properties, options.seed ?? 1))
    .finally(() => rehearsal.close());
  const demands = tried.map(({ property: { id }, cases }) => (sampled.get(id) ?? []).map(times(cases / CASES)));
  const all = demands.flat();
  const pace = target.worlds || target.clock ? undefined : paceOf(target, options.shard);
  const rates = ratesUsed(all, pace);
  const longest = (uses: readonly RateUse[]) => Math.max(0, ...uses.map(({ minutes }) => minutes));
  // One property comes after the other, and each fills buckets of its own, as far as those are not the same.
  const oneByOne = demands.reduce((minutes, own) => minutes + longest(ratesUsed(own, pace)), 0);
  return {
    requests: Math.round(total(all, "count")),
    paid: Math.round(total(all, "paid")),
    minutes: Math.max(oneByOne, longest(rates)),
    rates: rates.map((use) => ({ ...use, requests: Math.round(use.requests), most: Math.round(use.most) })),
  };
}

function times(factor: number): (demand: Demand) => Demand {
  return (demand) => ({ ...demand, count: demand.count * factor, paid: demand.paid * factor });
}
