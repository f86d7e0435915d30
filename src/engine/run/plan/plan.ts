import { type PlannedSideEffect, plannedSideEffects } from "../../cleanup/planned-side-effects.js";
import { obstacle } from "../../execute/obstacle.js";
import { type RateUse, ratesUsed } from "../../pacing/rate-use.js";
import { paceOf } from "../../pacing/throttle.js";
import { casesOf, type Property, propertySkipReason } from "../../property/property.js";
import { total } from "../../scenario/demand.js";
import type { Profile } from "../../scenario/effects.js";
import type { Demand, Scenario } from "../../scenario/scenario.js";
import type { Suite } from "../../suite.js";
import type { Target } from "../../target/target.js";
import { budgetOf, longestWait, profileOf, withTarget } from "../connect.js";
import type { RunResult, VerifyOptions } from "../options.js";
import { selectProperties, selectScenarios } from "../selection.js";
import { type Duration, estimateDuration } from "./duration.js";
import { estimateProperties, type PropertyCost } from "./property-cost.js";

/** One scenario of a plan: whether it would be executed, and what it would cost. */
export interface PlannedScenario {
  scenario: string;
  title: string;
  file: string;
  /** Fewest requests: polls, pages and tries that are repeated add to it. */
  requests: number;
  paid: number;
  /** Requests beside those that would start paid work on a server that takes what it must refuse. */
  paid_if_taken?: number;
  obstacle?: string;
}

/** One property of a plan. */
export interface PlannedProperty {
  property: string;
  /** Cases that are run. */
  runs: number;
  /** Whether a case may start paid work. */
  paid: boolean;
  obstacle?: string;
}

/** What `verify` would do: lower bounds, since answers decide how often a poll asks and how many pages a list has. */
export interface Plan {
  target: string;
  url: string;
  profile: Profile;
  planned: PlannedScenario[];
  properties: PlannedProperty[];
  /** Of the scenarios that would be executed. */
  summary: {
    scenarios: number;
    requests: number;
    paid: number;
    /** Requests beside those that would start paid work on a server that takes what it must refuse; the budget holds for both. */
    paid_if_taken: number;
    /** Most requests that may start paid work, if there is a bound. */
    budget_paid?: number;
    /** Rates that the requests count against, those first that hold the run up longest. */
    rates: RateUse[];
    /** Real time; the server's own comes on top. `least`: if all waits overlapped; `expected`: as scenarios are executed. */
    minutes: { least: number } & Omit<Duration, "longest">;
    /** Worlds that are made for scenarios and thrown away with all that is in them. */
    worlds: number;
    /** What it makes or changes where there are no worlds to throw away. */
    makes: PlannedSideEffect[];
    /** What the properties come to, about, on top of all that; where a sample of their cases could be run in a sandbox. */
    properties?: PropertyCost;
  };
}

/** What `verify` would do with these options, without sending anything but the question for the target's description. */
export async function plan(suite: Suite, options: VerifyOptions): Promise<{ plan: Plan } | RunResult> {
  const selected = selectScenarios(suite, options);
  if (!selected.ok) return { exitCode: 2, messages: selected.mistakes };
  const properties = await selectProperties(suite, options);
  return withTarget<{ plan: Plan }>(suite, options, async (target) => {
    const profile = profileOf(options, target);
    const all = selected.scenarios.map((scenario) => planScenario(scenario, options, target, profile));
    const checks = properties.map((property) => planProperty(property, options, target, profile, suite.defaultRole));
    const clear = all.filter(isClear);
    const waits = await estimateDuration(
      suite,
      target,
      options.shard,
      clear.map(({ scenario }) => scenario),
    );
    const cost = await estimateProperties(suite, options, target, checks.filter(isClear), async (loads) => {
      const both = await estimateDuration(
        suite,
        target,
        options.shard,
        clear.map(({ scenario }) => scenario),
        loads,
      );
      return both.expected - waits.expected;
    });
    return {
      plan: {
        target: target.name,
        url: target.urls.api,
        profile,
        planned: all.map(({ line }) => line),
        properties: checks.map(({ line }) => line),
        summary: { ...summarise(suite, options, target, clear, waits), ...(cost && { properties: cost }) },
      },
    };
  });
}

/** A scenario of the selection, with its line. */
interface ScenarioEstimate {
  scenario: Scenario;
  demands: readonly Demand[];
  line: PlannedScenario;
}

function planScenario(scenario: Scenario, options: VerifyOptions, target: Target, profile: Profile): ScenarioEstimate {
  const stops = obstacle({ target, profile, maxWaitSeconds: longestWait(options) }, scenario);
  const { demands } = scenario;
  const { name, text, file } = scenario;
  const ifTaken = total(demands, "paidIfTaken");
  return {
    scenario,
    demands,
    line: {
      ...{ scenario: name, title: text.title, file },
      ...{ requests: total(demands, "count"), paid: total(demands, "paid") },
      ...(ifTaken > 0 && { paid_if_taken: ifTaken }),
      ...(stops && { obstacle: stops.why }),
    },
  };
}

function planProperty(
  property: Property,
  options: VerifyOptions,
  target: Target,
  profile: Profile,
  defaultRole: string,
): { property: Property; line: PlannedProperty } {
  const { id, effects } = property;
  const stops = propertySkipReason(property, { target, profile }, defaultRole);
  const runs = casesOf(property, options.runs);
  return { property, line: { property: id, runs, paid: effects.includes("paid"), ...(stops && { obstacle: stops.why }) } };
}

/** Whether nothing stands in the way of a scenario or a property. */
function isClear({ line }: { line: { obstacle?: string } }): boolean {
  return line.obstacle === undefined;
}

function summarise(
  suite: Suite,
  options: VerifyOptions,
  target: Target,
  estimates: readonly ScenarioEstimate[],
  { longest, ...waits }: Duration,
): Plan["summary"] {
  const scenarios = estimates.map(({ scenario }) => scenario);
  const demands = estimates.flatMap((estimate) => estimate.demands);
  const free = target.worlds !== undefined && target.clock !== undefined;
  const rates = ratesUsed(suite.rates, demands, free ? undefined : paceOf(target, options.shard));
  // Where time is moved instead of waited for, the throttle's waits cost none either.
  const minutesByRate = target.clock ? [] : rates.map(({ minutes }) => minutes);
  const least = Math.max(longest, ...minutesByRate);
  const budget = budgetOf(options);
  return {
    scenarios: scenarios.length,
    requests: total(demands, "count"),
    paid: total(demands, "paid"),
    paid_if_taken: total(demands, "paidIfTaken"),
    ...(Number.isFinite(budget) && { budget_paid: budget }),
    rates,
    minutes: { least: Math.min(least, waits.expected), ...waits },
    worlds: target.worlds ? scenarios.length : 0,
    makes: target.worlds?.remove ? [] : plannedSideEffects(suite.cleanup.planned, demands, target),
  };
}
