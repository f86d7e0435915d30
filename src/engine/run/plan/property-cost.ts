import { isShared } from "../../pacing/concurrent-tasks.js";
import { type RateUse, ratesUsed } from "../../pacing/rate-use.js";
import { paceOf } from "../../pacing/throttle.js";
import { changesOfProperty } from "../../property/check-all.js";
import type { Property } from "../../property/property.js";
import { total } from "../../scenario/demand.js";
import type { Suite } from "../../suite.js";
import type { Target } from "../../target/target.js";
import type { VerifyOptions } from "../options.js";
import { openSandbox } from "../sandbox.js";
import type { PropertyLoad } from "./duration.js";

/** What the cases of some properties come to, about. */
export interface PropertyCost {
  requests: number;
  paid: number;
  /** Real time that a run takes longer with them: they fill the waits of scenarios. None where each case has a world, or the clock is moved. */
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
  minutesOf: (loads: readonly PropertyLoad[]) => Promise<number>,
): Promise<PropertyCost | undefined> {
  const wanted = checks.filter(({ line }) => line.runs > 0);
  const sandbox = wanted.length > 0 ? openSandbox(suite, options) : undefined;
  if (!sandbox) return undefined;
  const { sampleDemands } = await import("./sample-demands.js"); // loads what draws cases
  const properties = wanted.map(({ property, line: { runs } }) => ({ property, runs }));
  const sampled = await sandbox
    .open()
    .then((run) => sampleDemands(run, target, properties, options.seed ?? 1))
    .finally(() => sandbox.close());
  const loads = wanted.map(({ property, line: { runs } }) => ({
    ...{ demands: sampled.get(property.id) ?? [], cases: runs, changes: changesOfProperty(property) },
  }));
  const all = loads.flatMap(({ demands }) => demands);
  const rates = ratesUsed(suite.rates, all, isShared(target) ? paceOf(target, options.shard) : undefined);
  return {
    requests: Math.round(total(all, "count")),
    paid: Math.round(total(all, "paid")),
    minutes: await minutesOf(loads),
    rates: rates.map((use) => ({ ...use, requests: Math.round(use.requests), most: Math.round(use.most) })),
  };
}
