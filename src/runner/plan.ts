import { choose } from "./choose.js";
import { chooseProperties } from "./choose-properties.js";
import { paceOf } from "./governor.js";
import type { RunResult, VerifyOptions } from "./options.js";
import { type Making, makingsOf } from "./plan/makes.js";
import { type Waits, waitsOf } from "./plan/minutes.js";
import { costOf, type PropertyCost } from "./plan/properties.js";
import { type RateUse, ratesUsed } from "./plan/rates.js";
import { type Demand, demandsOf, total } from "./play/demand.js";
import type { Profile } from "./play/effects.js";
import { obstacle } from "./play/play.js";
import { obstacleTo } from "./property/obstacle.js";
import type { Property } from "./property/property.js";
import type { Scenario } from "./scenario/format.js";
import { budgetOf, longestWait, onTarget, profileOf } from "./start.js";
import { ledger } from "./suite.js";
import type { Target } from "./target/target.js";

/** One scenario of a plan: whether it would be played, and what it would cost. */
export interface Planned {
  scenario: string;
  title: string;
  file: string;
  /** Fewest requests: polls, pages and tries that are repeated add to it. */
  requests: number;
  paid: number;
  obstacle?: string;
}

/** One property of a plan. */
export interface PlannedProperty {
  property: string;
  /** Cases that are tried. */
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
  planned: Planned[];
  properties: PlannedProperty[];
  /** Of the scenarios that would be played. */
  summary: {
    scenarios: number;
    requests: number;
    paid: number;
    /** Most requests that may start paid work, if there is a bound. */
    budget_paid?: number;
    /** Rates that the requests count against, those first that hold the run up longest. */
    rates: RateUse[];
    /**
     * Real time; the server's own comes on top. `least`: all waits overlap as well as they can; `expected`: none do, as scenarios are played one
     * after the other.
     */
    minutes: { least: number; expected: number; rates: number } & Waits;
    /** Worlds that are made for scenarios and thrown away with all that is in them. */
    worlds: number;
    /** What it makes or changes where there are no worlds to throw away. */
    makes: Making[];
    /** What the properties come to, about, on top of all that; where a sample of their cases could be played on a mock. */
    properties?: PropertyCost;
  };
}

/** What `verify` would do with these options, without sending anything but the question for the target's description. */
export async function plan(options: VerifyOptions): Promise<{ plan: Plan } | RunResult> {
  const chosen = choose(options);
  if (!chosen.ok) return { exitCode: 2, messages: chosen.mistakes };
  const properties = await chooseProperties(options, ledger);
  return onTarget<{ plan: Plan }>(options, async (target) => {
    const plan = planOn(options, target, chosen.scenarios, properties);
    const tried = plan.properties.flatMap(({ property, runs, obstacle }) => {
      const found = properties.find(({ id }) => id === property);
      return found && obstacle === undefined && runs > 0 ? [{ property: found, cases: runs }] : [];
    });
    const cost = await costOf(options, target, tried);
    return { plan: { ...plan, summary: { ...plan.summary, ...(cost && { properties: cost }) } } };
  });
}

function planOn(options: VerifyOptions, target: Target, scenarios: readonly Scenario[], properties: readonly Property[]): Plan {
  const profile = profileOf(options, target);
  const all = scenarios.map((scenario) => {
    const stops = obstacle({ target, profile, maxWaitSeconds: longestWait(options) }, scenario);
    return { scenario, demands: demandsOf(scenario), stops: stops?.why };
  });
  const played = all.filter(({ stops }) => stops === undefined);
  return {
    target: target.name,
    url: target.urls.api,
    profile,
    planned: all.map(({ scenario: { name, text, file }, demands, stops }) => ({
      ...{ scenario: name, title: text.title, file },
      ...{ requests: total(demands, "count"), paid: total(demands, "paid") },
      ...(stops !== undefined && { obstacle: stops }),
    })),
    properties: properties.map((property) => planProperty(property, options, target, profile)),
    summary: summarise(
      options,
      target,
      played.map(({ scenario }) => scenario),
      played.flatMap(({ demands }) => demands),
    ),
  };
}

function summarise(
  options: VerifyOptions,
  target: Target,
  scenarios: readonly Scenario[],
  demands: readonly Demand[],
): Plan["summary"] {
  const free = target.worlds !== undefined && target.clock !== undefined;
  const rates = ratesUsed(demands, free ? undefined : paceOf(target, options.shard));
  const waits = waitsOf(scenarios, target);
  // Where time is moved instead of waited for, the governor's waits cost none either.
  const held = target.clock ? [] : rates.map(({ minutes }) => minutes);
  const ratesTogether = held.reduce((total, minutes) => total + minutes, 0);
  const waiting = waits.bursts + waits.clock + waits.dispatches;
  const budget = budgetOf(options);
  return {
    scenarios: scenarios.length,
    requests: total(demands, "count"),
    paid: total(demands, "paid"),
    ...(Number.isFinite(budget) && { budget_paid: budget }),
    rates,
    minutes: { least: Math.max(waiting, ...held), expected: waiting + ratesTogether, rates: ratesTogether, ...waits },
    worlds: target.worlds ? scenarios.length : 0,
    makes: target.worlds?.remove ? [] : makingsOf(demands, target),
  };
}

function planProperty(property: Property, options: VerifyOptions, target: Target, profile: Profile): PlannedProperty {
  const { id, effects, runs } = property;
  const stops = obstacleTo(property, { target, profile });
  return { property: id, runs: options.runs ?? runs, paid: effects.includes("paid"), ...(stops && { obstacle: stops.why }) };
}
