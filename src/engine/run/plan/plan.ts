import { listPlannedSideEffects, type PlannedSideEffect } from "../../cleanup/planned-side-effects.js";
import { createDeadlineVerdict } from "../../execute/result.js";
import { findSkipReason } from "../../execute/skip-reason.js";
import { listRateUse, type RateUse } from "../../pacing/rate-use.js";
import { ANSWER_SECONDS } from "../../pacing/scenario-order.js";
import { computePace } from "../../pacing/throttle.js";
import { checkListening } from "../../preflight/address.js";
import { listUnsetVariables } from "../../preflight/preflight.js";
import { countCases, findPropertySkipReason, type Property } from "../../property/property.js";
import { isIncomplete } from "../../property/result.js";
import { formatWaiverEffect, listWaiverEffects } from "../../report/summary.js";
import { sumDemands } from "../../scenario/demand.js";
import type { Profile } from "../../scenario/effects.js";
import type { Demand, Scenario } from "../../scenario/scenario.js";
import type { Suite } from "../../suite.js";
import type { Target } from "../../target/target.js";
import { listInactiveWaivers } from "../../verdict/apply-waivers.js";
import type { Waiver } from "../../verdict/waivers.js";
import { chooseBudget, chooseProfile, computeDeadline, computeMaxWait, runWithTarget } from "../connect.js";
import type { RunResult, VerifyOptions } from "../options.js";
import { prepare } from "../prepare.js";
import type { EarlierRun } from "../resume.js";
import { findLateScenarios } from "../time-plan.js";
import { type Duration, estimateDuration } from "./duration.js";
import { estimateProperties, type PropertyCost } from "./property-cost.js";

/** One scenario of a plan, with its cost and the reason if it is skipped. */
export interface PlannedScenario {
  scenario: string;
  title: string;
  file: string;
  /** The minimum number of requests. Polls, further pages and retries add more. */
  requests: number;
  paid: number;
  /** Further requests that start paid work on a server that accepts what it must refuse. */
  paid_if_taken?: number;
  skip_reason?: string;
}

/** One property of a plan. */
export interface PlannedProperty {
  property: string;
  /** Number of cases. */
  runs: number;
  /** Whether a case may start paid work. */
  paid: boolean;
  skip_reason?: string;
}

/** The work that `verify` would do. Counts are lower bounds, because responses decide the number of polls and pages. */
export interface Plan {
  target: string;
  url: string;
  profile: Profile;
  planned: PlannedScenario[];
  properties: PlannedProperty[];
  /** Sentences about the target: variables that are not set, and a server that cannot be examined. */
  notes?: readonly string[];
  /** Totals of the scenarios that would be executed. */
  summary: {
    scenarios: number;
    requests: number;
    paid: number;
    /** Further requests that start paid work on a server that accepts what it must refuse. The budget limits both. */
    paid_if_taken: number;
    /** The maximum number of requests that may start paid work, if limited. */
    budget_paid?: number;
    /** Rate limits that the requests count against, slowest first. */
    rates: RateUse[];
    /** Minutes of waiting in real time, without the server's response times. `min`: if all waits overlap. `expected`: in the order of execution. */
    minutes: { min: number } & Omit<Duration, "longest" | "ends">;
    /** Worlds that are created for scenarios and deleted afterwards. */
    worlds: number;
    /** Resources that are created or changed on a target whose worlds are not deleted. */
    makes: PlannedSideEffect[];
    /** Estimated additional cost of the properties; undefined without a sandbox. */
    properties?: PropertyCost;
  };
}

/** Returns the plan of a run with these options. Sends only the request for the target's description, and writes nothing. */
export async function planRun(suite: Suite, options: VerifyOptions): Promise<{ plan: Plan } | RunResult> {
  const { out: _, ...reading } = options;
  const result = await prepare(suite, reading);
  if (!result.ok) return { exitCode: 2, messages: result.mistakes };
  const { scenarios, properties, earlier, waivers } = result.input;
  return runWithTarget<{ plan: Plan }>(suite, options, async (target) => {
    const profile = chooseProfile(options, target);
    const context = { suite, target, profile };
    const all = scenarios
      .filter(({ name }) => !earlier?.scenarios.has(name))
      .map((scenario) => planScenario(scenario, options, context));
    const checks = properties
      .filter((property) => !isChecked(property, earlier))
      .map((property) => planProperty(property, options, context));
    await leaveOutLate(all.filter(isExecutable), options, context);
    const executable = all.filter(isExecutable);
    const waits = await estimateDuration(
      context,
      options.shard,
      executable.map(({ scenario }) => scenario),
    );
    const cost = await estimateProperties(suite, options, target, checks.filter(isExecutable), async (loads) => {
      const both = await estimateDuration(
        context,
        options.shard,
        executable.map(({ scenario }) => scenario),
        { properties: loads },
      );
      return both.expected - waits.expected;
    });
    const unreachable = await checkListening(target.urls.api);
    const assumed = Object.keys(target.derived?.tools ?? {});
    const notes = [
      ...listUnsetVariables(target, options),
      ...(assumed.length > 0 ? [describeAssumed(assumed)] : []),
      ...(unreachable === undefined ? [] : [unreachable]),
      ...listWaiverNotes(waivers, target),
    ];
    return {
      plan: {
        target: target.name,
        url: target.urls.api,
        profile,
        ...(notes.length > 0 && { notes }),
        planned: all.map(({ line }) => line),
        properties: checks.map(({ line }) => line),
        summary: { ...summarise(suite, options, target, executable, waits), ...(cost && { properties: cost }) },
      },
    };
  });
}

function describeAssumed(purposes: readonly string[]): string {
  return `The target file leaves out ${purposes.length} tools: the plan assumes that they have the names of their purposes. The run calls only those that the server lists.`;
}

/** The suite, the target and the profile of a plan. */
interface PlanContext {
  suite: Suite;
  target: Target;
  profile: Profile;
}

/** A selected scenario, with its line in the plan. */
interface ScenarioEstimate {
  scenario: Scenario;
  demands: readonly Demand[];
  line: PlannedScenario;
}

function planScenario(scenario: Scenario, options: VerifyOptions, context: PlanContext): ScenarioEstimate {
  const skip = findSkipReason({ ...context, maxWaitSeconds: computeMaxWait(options) }, scenario);
  const { demands } = scenario;
  const { name, text, file } = scenario;
  const ifTaken = sumDemands(demands, "paidIfTaken");
  return {
    scenario,
    demands,
    line: {
      ...{ scenario: name, title: text.title, file },
      ...{ requests: sumDemands(demands, "count"), paid: sumDemands(demands, "paid") },
      ...(ifTaken > 0 && { paid_if_taken: ifTaken }),
      ...(skip && { skip_reason: skip.why }),
    },
  };
}

/** Marks the scenarios for which the deadline leaves no time. */
async function leaveOutLate(estimates: readonly ScenarioEstimate[], options: VerifyOptions, context: PlanContext): Promise<void> {
  const deadline = computeDeadline(options);
  if (deadline === undefined) return;
  const scenarios = estimates.map(({ scenario }) => scenario);
  const { ends } = await estimateDuration(context, options.shard, scenarios, { responseSeconds: ANSWER_SECONDS });
  const lateScenarios = findLateScenarios(deadline, ends, scenarios);
  const { reason = "" } = createDeadlineVerdict({ deadlineSeconds: deadline }) ?? {};
  for (const { scenario, line } of estimates) if (lateScenarios.has(scenario)) line.skip_reason = reason;
}

function planProperty(
  property: Property,
  options: VerifyOptions,
  context: PlanContext,
): { property: Property; line: PlannedProperty } {
  const { id, effects } = property;
  const skip = findPropertySkipReason(property, context);
  const runs = countCases(property, options.runs);
  return { property, line: { property: id, runs, paid: effects.includes("paid"), ...(skip && { skip_reason: skip.why }) } };
}

/** Tells whether an earlier run has checked a property completely. */
function isChecked({ id }: Property, earlier: EarlierRun | undefined): boolean {
  const result = earlier?.properties.get(id);
  return result !== undefined && !isIncomplete(result.line);
}

/** Returns a sentence for each waiver that has expired or is for another target. */
function listWaiverNotes(waivers: readonly Waiver[], { name, urls }: Target): string[] {
  const entries = listInactiveWaivers(waivers, { target: name, url: urls.api, day: new Date().toISOString().slice(0, 10) });
  return listWaiverEffects({ waivers: entries, target: name }).map(formatWaiverEffect);
}

/** Tells whether a scenario or a property would be executed. */
function isExecutable({ line }: { line: { skip_reason?: string } }): boolean {
  return line.skip_reason === undefined;
}

function summarise(
  suite: Suite,
  options: VerifyOptions,
  target: Target,
  estimates: readonly ScenarioEstimate[],
  { longest, ends: _, ...waits }: Duration,
): Plan["summary"] {
  const scenarios = estimates.map(({ scenario }) => scenario);
  const demands = estimates.flatMap((estimate) => estimate.demands);
  const hasNoWaits = target.worlds !== undefined && target.clock !== undefined;
  const rates = listRateUse(suite.rates, demands, hasNoWaits ? undefined : computePace(target, options.shard));
  // If the clock can be moved, waits for rate limits take no real time.
  const minutesByRate = target.clock ? [] : rates.map(({ minutes }) => minutes);
  const min = Math.max(longest, ...minutesByRate);
  const budget = chooseBudget(options);
  return {
    scenarios: scenarios.length,
    requests: sumDemands(demands, "count"),
    paid: sumDemands(demands, "paid"),
    paid_if_taken: sumDemands(demands, "paidIfTaken"),
    ...(Number.isFinite(budget) && { budget_paid: budget }),
    rates,
    minutes: { min: Math.min(min, waits.expected), ...waits },
    worlds: target.worlds ? scenarios.length : 0,
    makes: target.worlds?.remove ? [] : listPlannedSideEffects(suite.cleanup.planned, demands, target),
  };
}
