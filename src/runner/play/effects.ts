import { type AnswerText, type Effect, type RequestText, type Scenario, type Step, withoutTrigger } from "../scenario/format.js";
import { effectOfAsk } from "../scenario/tools.js";

/** What a run may do to the server. */
export type Profile = "read-only" | "safe" | "full";

const ALLOWED: Record<Profile, readonly Effect[]> = {
  "read-only": ["read"],
  safe: ["read", "write"],
  full: ["read", "write", "paid", "destructive"],
};

const DESTRUCTIVE = [/^DELETE \/api\/repos\//, /^POST \/api\/repos\/.*\/reset$/];
// SPEND: the four operations that start paid work.
const PAID = [
  /^POST \/api\/repos$/,
  /^POST \/api\/repos\/.*\/jobs$/,
  /^POST \/api\/jobs\/[^/]+\/retry$/,
  /^POST \/api\/observations\/[^/]+\/fix$/,
];

/** What a step does to the server, as far as its route tells; a request that must be refused starts no paid work. */
export function effectOf(step: Step, scenario: Scenario): Effect {
  if (step.effect) return step.effect;
  if (step.drive || step.clock) return "write";
  const effect = effectOfRequest(step, scenario);
  return effect === "read" && step.burst ? "write" : effect; // it takes from a limit what others may need
}

/** Whether a burst of the scenario uses up a limit that is not of its own making: counters are a key's own (BUCKET-PER-KEY). */
export function usesUpLimits({ text: { steps } }: Scenario): boolean {
  const made = new Set(steps.flatMap((step) => Object.keys(step.saveKey ?? {})));
  return steps.some(({ burst }) => burst && !made.has(burst.as ?? ""));
}

function effectOfRequest(step: Step, scenario: Scenario): Effect {
  const ask = step.mcp ?? step.burst?.mcp;
  if (ask) return effectOfAsk(ask) === "paid" && mustBeRefused(step) ? "write" : effectOfAsk(ask);
  if (step.race?.requests) return strongest(step.race.requests.map((request) => effectOfRequest({ ...request }, scenario)));
  const request = requestOf(step, scenario);
  const route = (request.rest ?? "").replace(/\?.*/, "");
  if (/^(GET|HEAD|OPTIONS) /.test(route)) return "read";
  if (DESTRUCTIVE.some((pattern) => pattern.test(route))) return "destructive";
  if (PAID.some((pattern) => pattern.test(route)) && !mustBeRefused(step)) return "paid";
  return "write";
}

function strongest(effects: readonly Effect[]): Effect {
  return (["destructive", "paid", "write"] as const).find((effect) => effects.includes(effect)) ?? "read";
}

/** All effects of a scenario's steps and tidying up. */
export function effectsOf(scenario: Scenario): Effect[] {
  const { steps } = scenario.text;
  const controls = steps.flatMap((step) => (step.control ? [effectOf(withoutTrigger(step, steps), scenario)] : []));
  return [...new Set([...steps.map((step) => effectOf(step, scenario)), ...controls])];
}

/** The effect of a scenario that a profile forbids, if any. */
export function forbidden(scenario: Scenario, profile: Profile): Effect | undefined {
  return firstForbidden(effectsOf(scenario), profile);
}

/** The first of some effects that a profile does not allow. */
export function firstForbidden(effects: readonly Effect[], profile: Profile): Effect | undefined {
  return effects.find((effect) => !ALLOWED[profile].includes(effect));
}

/** The request that a step sends: its own, the series', or the one it repeats. */
export function requestOf(step: Step, scenario: Scenario): RequestText {
  if (step.repeat) return scenario.text.steps.find(({ id }) => id === step.repeat) ?? step;
  return step.burst ?? step.race ?? step;
}

/** Whether a step asks for something that the server must not do. */
export function mustBeRefused(step: Step): boolean {
  const { status, error, refused, toolError } = (step.expect ?? {}) as AnswerText;
  if (step.burst || step.race) return false;
  if (step.mcp) return refused !== undefined || toolError !== undefined;
  return error !== undefined || [status].flat().every((wanted) => /^4(\d\d|xx)$/.test(String(wanted)));
}
