import { statusesWanted } from "../../execute/send.js";
import { openQueue } from "../../pacing/order.js";
import { isOursAlone, openThrottle, type Shard } from "../../pacing/throttle.js";
import { type Waits, waitsOf } from "../../pacing/waits.js";
import { demandsOfStep, total } from "../../scenario/demand.js";
import type { Row } from "../../scenario/format.js";
import type { CompiledStep, Demand, Scenario } from "../../scenario/scenario.js";
import type { Suite } from "../../suite.js";
import type { Target } from "../../target/target.js";

/** Real time that a run waits for, in minutes: in all, for room below rates, and for what `Waits` says. */
export interface Duration extends Waits {
  expected: number;
  rates: number;
}

/**
 * How long a run of these scenarios would wait: they are gone through as they would be executed, in that order and by the same throttle, on a
 * clock of its own and with answers that take no time. Where each has a world of its own they overlap, so then it is what each waits by itself.
 */
export function durationOf(suite: Suite, target: Target, shard: Shard, scenarios: readonly Scenario[]): Duration {
  const own = waitsOf(scenarios, target);
  if (target.clock) return { ...own, expected: 0, rates: 0 };
  let now = 0;
  const spent = { rates: 0, bursts: 0 };
  const pass = (what: keyof typeof spent, seconds: number) => {
    now += seconds;
    spent[what] += seconds;
  };
  const wait = (what: keyof typeof spent, secondsLeft: () => number) => {
    for (let seconds = secondsLeft(); seconds > 0; seconds = secondsLeft()) pass(what, seconds);
  };
  const throttle = openThrottle(suite, target, shard, () => now);
  const execute = (step: CompiledStep, variables: Row) => {
    const demands = demandsOfStep(step, variables, suite).map((demand) => ({ ...demand, request: requestOf(demand, target) }));
    const count = total(demands, "count");
    const isBurst = demands.some(({ burst }) => burst);
    const requests = demands.map(({ request }) => request);
    if (isBurst && isOursAlone(target)) wait("bursts", () => throttle.waitForBurst(requests, count));
    else if (isBurst && !target.worlds) pass("bursts", target.timing.rateMinuteSeconds);
    for (const { request, count } of demands)
      for (let sent = 0; sent < count; sent++) {
        if (!isBurst && isPatient(step, suite)) wait("rates", () => throttle.wait(request));
        throttle.note(request);
      }
  };
  const queue = openQueue(scenarios, { rates: suite.rates, throttle, target });
  for (let next = queue.next(); next; next = queue.next()) {
    const { demands, steps, finally: last, variables } = next;
    wait(demands.some(({ burst }) => burst) ? "bursts" : "rates", () => throttle.waitForAll(demands, target.keys));
    for (const step of [...steps, ...last]) for (const one of [step, step.control]) if (one) execute(one, variables);
    const { clock, dispatches } = waitsOf([next], target);
    now += (clock + dispatches) * 60;
  }
  const [rates, bursts] = [spent.rates / 60, spent.bursts / 60];
  return { ...own, rates, bursts, expected: now / 60 };
}

/** Whether a step waits for room below a rate: one that is after a refusal for it, or takes what comes, does not. */
function isPatient({ text: { expect, given, inconclusiveIf = [], asIs } }: CompiledStep, { answers }: Suite): boolean {
  return !asIs && !statusesWanted([expect, given, ...inconclusiveIf], answers).has(429);
}

function requestOf({ method, path, tool, role }: Demand, { urls, keys }: Target) {
  const key = role === undefined ? undefined : (keys[role] ?? role); // one that a scenario makes is nobody else's
  const url = tool ? (urls.mcp ?? urls.api) : urls.api + path;
  return { method, url, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } };
}
