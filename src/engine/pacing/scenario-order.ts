import { sumDemands } from "../scenario/demand.js";
import { parseSeconds, type Step } from "../scenario/format.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Target } from "../target/target.js";
import type { RateRules } from "./rates.js";
import { RATE_SHARE } from "./sliding-window.js";

/** A poll that may take this long waits for the server's scheduler. */
const LONG_POLL_MAX_SECONDS = 60;

/** Seconds that one response takes, if the server has not shown it. */
export const ANSWER_SECONDS = 0.1;

/** The parts of a target that decide how long a scenario takes. */
type TargetTime = Pick<Target, "clock" | "timing">;

/**
 * Sorts scenarios by newly judged clauses for each expected second, most first.
 * Scenarios whose clauses earlier ones judge come last, by the load of their most loaded rate limit.
 */
export function orderByInformation<T extends Pick<Scenario, "claims" | "demands" | "steps">>(
  scenarios: readonly T[],
  rates: RateRules,
  target: TargetTime,
): T[] {
  const left = new Map(scenarios.map((scenario) => [scenario, computeUsedSeconds(scenario, rates, target)]));
  const judged = new Set<string>();
  const ordered: T[] = [];
  for (;;) {
    let best: { scenario: T; value: number } | undefined;
    for (const [scenario, duration] of left) {
      const value = scenario.claims.reduce((count, id) => count + (judged.has(id) ? 0 : 1), 0) / duration;
      if (value > (best?.value ?? 0)) best = { scenario, value };
    }
    if (!best) return [...ordered, ...orderByLoad([...left.keys()], rates)];
    for (const id of best.scenario.claims) judged.add(id);
    ordered.push(best.scenario);
    left.delete(best.scenario);
  }
}

/** Returns how many seconds a scenario takes once it has begun: its own waits and its responses. */
export function estimateSeconds(
  { demands, steps }: Pick<Scenario, "demands" | "steps">,
  target: TargetTime,
  responseSeconds: number = ANSWER_SECONDS,
): number {
  const waits = steps.map(({ text }) => sumWaits(text, target));
  return (
    sumDemands(demands, "count") * responseSeconds + waits.reduce((sum, { clock, dispatches }) => sum + clock + dispatches, 0)
  );
}

/** Returns how many seconds of a run a scenario uses: it runs, or its most loaded rate limit refills. At least one response. */
function computeUsedSeconds(scenario: Pick<Scenario, "demands" | "steps">, rates: RateRules, target: TargetTime): number {
  const minutes = target.clock ? 0 : Math.max(0, ...groupMinutes(scenario.demands, rates).values());
  return Math.max(ANSWER_SECONDS, estimateSeconds(scenario, target), (minutes * target.timing.rateMinuteSeconds) / RATE_SHARE);
}

/** Returns the seconds that a step waits in real time, in all its rows; none where the target's clock can be moved. */
export function sumWaits(
  { clock, until, rows }: Step,
  { clock: clockHooks, timing }: TargetTime,
): { clock: number; dispatches: number } {
  if (clockHooks) return { clock: 0, dispatches: 0 };
  const times = rows?.length ?? 1;
  const isLong = until !== undefined && parseSeconds(until.within) >= LONG_POLL_MAX_SECONDS;
  return {
    clock: clock && "by" in clock ? times * parseSecondsOr(clock.by, timing.rateMinuteSeconds) : 0,
    dispatches: isLong ? (times * timing.dispatchTickSeconds) / 2 : 0,
  };
}

/** Returns a duration in seconds. A duration from a variable, such as a Retry-After, is unknown before the run: it counts as the default. */
function parseSecondsOr(duration: string, unknown: number): number {
  const known = parseSeconds(duration);
  return Number.isNaN(known) ? unknown : known;
}

/**
 * Sorts scenarios by the total time that their most loaded rate limit needs, longest first. Within one limit, scenarios with bursts come first, because
 * each burst takes a whole minute.
 */
function orderByLoad<T extends Pick<Scenario, "demands">>(scenarios: readonly T[], rates: RateRules): T[] {
  const loads = scenarios.map(({ demands }) => groupMinutes(demands, rates));
  const totals = new Map<string, number>();
  for (const load of loads) for (const [limit, minutes] of load) totals.set(limit, (totals.get(limit) ?? 0) + minutes);
  const longest = (load: ReadonlyMap<string, number>) => Math.max(0, ...[...load.keys()].map((limit) => totals.get(limit) ?? 0));
  return scenarios
    .map((scenario, index) => ({ scenario, minutes: longest(loads[index] ?? new Map()) }))
    .sort((a, b) => b.minutes - a.minutes || countBursts(b.scenario) - countBursts(a.scenario))
    .map(({ scenario }) => scenario);
}

function countBursts({ demands }: Pick<Scenario, "demands">): number {
  return Number(demands.some(({ burst }) => burst));
}

/** Returns for how many minutes some requests use each limit. A burst uses it for one minute: no other request may count against it. */
function groupMinutes(demands: Scenario["demands"], rates: RateRules): Map<string, number> {
  const load = new Map<string, number>();
  for (const { role, burst, count, ...request } of demands) {
    if (role === undefined) continue;
    for (const { name, rpm } of rates.bucketsOf(request, rates.ceilingOf(role)))
      load.set(`${role} ${name}`, (load.get(`${role} ${name}`) ?? 0) + (burst ? Math.min(1, count / rpm) : count / rpm));
  }
  return load;
}
