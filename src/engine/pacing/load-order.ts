import type { Scenario } from "../scenario/scenario.js";
import type { RateRules } from "./rates.js";

/** Those first that count against the limit that takes longest to let through all that is to be sent; of these the bursts, which each take a minute. */
export function orderByLoad<T extends Pick<Scenario, "demands">>(scenarios: readonly T[], rates: RateRules): T[] {
  const loads = scenarios.map(({ demands }) => loadOf(demands, rates));
  const total = new Map<string, number>();
  for (const load of loads) for (const [limit, minutes] of load) total.set(limit, (total.get(limit) ?? 0) + minutes);
  const need = (load: ReadonlyMap<string, number>) => Math.max(0, ...[...load.keys()].map((limit) => total.get(limit) ?? 0));
  return scenarios
    .map((scenario, place) => ({ scenario, need: need(loads[place] ?? new Map()) }))
    .sort((a, b) => b.need - a.need || bursts(b.scenario) - bursts(a.scenario))
    .map(({ scenario }) => scenario);
}

function bursts({ demands }: Pick<Scenario, "demands">): number {
  return Number(demands.some(({ burst }) => burst));
}

/** For how many minutes some demands take up each limit: a burst for a whole one. */
function loadOf(demands: Scenario["demands"], rates: RateRules): Map<string, number> {
  const load = new Map<string, number>();
  for (const { role, burst, count, ...request } of demands) {
    if (role === undefined) continue;
    for (const { name, rpm } of rates.bucketsOf(request, rates.ceilingOf(role)))
      load.set(`${role} ${name}`, (load.get(`${role} ${name}`) ?? 0) + (burst ? Math.min(1, count / rpm) : count / rpm));
  }
  return load;
}
