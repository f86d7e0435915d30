import type { Scenario } from "../scenario/scenario.js";
import type { Target } from "../target/target.js";
import type { RateRules } from "./rates.js";
import type { Throttle } from "./throttle.js";

/** Scenarios that are still to be executed. */
export interface Queue<T> {
  /** Takes the one that comes next. */
  next(): T | undefined;
}

/**
 * Scenarios in the order in which a run waits least: the first that need not wait comes next, so that limits fill again while others are
 * executed; those that use what is shortest come first. Where each has a world of its own, or time is moved, it is the order that they have.
 */
export function openQueue<T extends Pick<Scenario, "demands">>(
  scenarios: readonly T[],
  { rates, throttle, target }: { rates: RateRules; throttle: Throttle; target: Target },
): Queue<T> {
  const { worlds, clock, keys } = target;
  if (worlds || clock) {
    const inTurn = scenarios.values();
    return { next: () => inTurn.next().value };
  }
  const left = byNeed(scenarios, rates);
  return { next: () => left.splice(soonest(throttle, left, keys), 1)[0] };
}

/** Those first that count against the limit that takes longest to let through all that is to be sent. */
function byNeed<T extends Pick<Scenario, "demands">>(scenarios: readonly T[], rates: RateRules): T[] {
  const loads = scenarios.map(({ demands }) => loadOf(demands, rates));
  const total = new Map<string, number>();
  for (const load of loads) for (const [limit, minutes] of load) total.set(limit, (total.get(limit) ?? 0) + minutes);
  const need = (load: ReadonlyMap<string, number>) => Math.max(0, ...[...load.keys()].map((limit) => total.get(limit) ?? 0));
  return scenarios
    .map((scenario, place) => ({ scenario, need: need(loads[place] ?? new Map()) }))
    .sort((a, b) => b.need - a.need)
    .map(({ scenario }) => scenario);
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

/** The place of the first that need not wait; else of the one that waits least. */
function soonest(
  throttle: Throttle,
  scenarios: readonly Pick<Scenario, "demands">[],
  keys: Readonly<Record<string, string>>,
): number {
  let best = { place: 0, seconds: Number.POSITIVE_INFINITY };
  for (const [place, { demands }] of scenarios.entries()) {
    const seconds = throttle.waitForAll(demands, keys);
    if (seconds < best.seconds) best = { place, seconds };
    if (seconds === 0) break;
  }
  return best.place;
}
