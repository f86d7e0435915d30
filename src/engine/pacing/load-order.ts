import type { Scenario } from "../scenario/scenario.js";
import type { RateRules } from "./rates.js";

/**
 * Sorts scenarios by the total time that their most loaded rate limit needs, longest first. Within one limit, scenarios with bursts come first, because
 * each burst takes a whole minute.
 */
export function orderByLoad<T extends Pick<Scenario, "demands">>(scenarios: readonly T[], rates: RateRules): T[] {
  const loads = scenarios.map(({ demands }) => minutesByLimit(demands, rates));
  const total = new Map<string, number>();
  for (const load of loads) for (const [limit, minutes] of load) total.set(limit, (total.get(limit) ?? 0) + minutes);
  const longest = (load: ReadonlyMap<string, number>) => Math.max(0, ...[...load.keys()].map((limit) => total.get(limit) ?? 0));
  return scenarios
    .map((scenario, index) => ({ scenario, minutes: longest(loads[index] ?? new Map()) }))
    .sort((a, b) => b.minutes - a.minutes || bursts(b.scenario) - bursts(a.scenario))
    .map(({ scenario }) => scenario);
}

function bursts({ demands }: Pick<Scenario, "demands">): number {
  return Number(demands.some(({ burst }) => burst));
}

/** Returns for how many minutes some requests use each limit. A burst uses it for at most one minute. */
function minutesByLimit(demands: Scenario["demands"], rates: RateRules): Map<string, number> {
  const load = new Map<string, number>();
  for (const { role, burst, count, ...request } of demands) {
    if (role === undefined) continue;
    for (const { name, rpm } of rates.bucketsOf(request, rates.ceilingOf(role)))
      load.set(`${role} ${name}`, (load.get(`${role} ${name}`) ?? 0) + (burst ? Math.min(1, count / rpm) : count / rpm));
  }
  return load;
}
