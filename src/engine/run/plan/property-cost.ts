import { isShared } from "../../pacing/concurrent-tasks.js";
import { listRateUse, type RateUse } from "../../pacing/rate-use.js";
import { computePace } from "../../pacing/throttle.js";
import { listPropertyChanges } from "../../property/check-all.js";
import type { Property } from "../../property/property.js";
import { sumDemands } from "../../scenario/demand.js";
import type { Suite } from "../../suite.js";
import type { Target } from "../../target/target.js";
import type { VerifyOptions } from "../options.js";
import { openSandbox } from "../sandbox.js";
import type { PropertyLoad } from "./duration.js";

/** The estimated cost of the cases of some properties. */
export interface PropertyCost {
  requests: number;
  paid: number;
  /** Additional minutes of a run. Cases run while scenarios wait. 0 where each case has its own world, or the clock can be moved. */
  minutes: number;
  /** Rate limits that they count against, slowest first. */
  rates: RateUse[];
}

/** Estimates the cost of the cases of some properties, from a sample in a sandbox. Returns undefined without cases or without a sandbox. */
export async function estimateProperties(
  suite: Suite,
  options: VerifyOptions,
  target: Target,
  checks: readonly { property: Property; line: { runs: number } }[],
  minutesOf: (loads: readonly PropertyLoad[]) => Promise<number>,
): Promise<PropertyCost | undefined> {
  const withCases = checks.filter(({ line }) => line.runs > 0);
  const sandbox = withCases.length > 0 ? openSandbox(suite, options) : undefined;
  if (!sandbox) return undefined;
  const { sampleDemands } = await import("./sample-demands.js"); // loads fast-check
  const properties = withCases.map(({ property, line: { runs } }) => ({ property, runs }));
  const sampledDemandses = await sandbox
    .open()
    .then((run) => sampleDemands(run, target, properties, options.seed ?? 1))
    .finally(() => sandbox.close());
  const loads = withCases.map(({ property, line: { runs } }) => ({
    ...{ demands: sampledDemandses.get(property.id) ?? [], cases: runs, changes: listPropertyChanges(property) },
  }));
  const all = loads.flatMap(({ demands }) => demands);
  const rates = listRateUse(suite.rates, all, isShared(target) ? computePace(target, options.shard) : undefined);
  return {
    requests: Math.round(sumDemands(all, "count")),
    paid: Math.round(sumDemands(all, "paid")),
    minutes: await minutesOf(loads),
    rates: rates.map((use) => ({ ...use, requests: Math.round(use.requests), max: Math.round(use.max) })),
  };
}
