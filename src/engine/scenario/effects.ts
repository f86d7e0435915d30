import type { Effect, ResponseText, Step, StepRequest } from "./format.js";
import { interpolateText } from "./interpolate.js";
import type { RequestRules } from "./requests.js";
import type { Scenario } from "./scenario.js";
import { findToolCallEffect } from "./tool-call.js";

/** The effects on the server that a run allows. */
export type Profile = "read-only" | "safe" | "full";

/** The effects that each profile allows. */
export const ALLOWED_EFFECTS: Record<Profile, readonly Effect[]> = {
  "read-only": ["read"],
  safe: ["read", "write"],
  full: ["read", "write", "paid", "destructive"],
};

/** Returns the effect of a scenario that a profile forbids, or undefined. */
export function findForbidden({ effects }: Pick<Scenario, "effects">, profile: Profile): Effect | undefined {
  return effects.find((effect) => !ALLOWED_EFFECTS[profile].includes(effect));
}

/** Returns the flag for the smallest profile that allows these effects; nothing if the given profile allows them. */
export function listWiderProfiles(check: Pick<Scenario, "effects">, profile: Profile): string[] {
  const wider = (["safe", "full"] as const).find((one) => !findForbidden(check, one));
  return findForbidden(check, profile) && wider ? [`--profile ${wider}`] : [];
}

/** Returns the strongest effect that the text of a request allows. */
export function findRequestEffect({ rest = "", mcp }: StepRequest, rules: RequestRules): Effect {
  if (mcp) return findToolCallEffect(mcp, rules.tools);
  const [method = "", path = ""] = createExample(rest, rules).split(" ");
  return rules.effectOf(method, path.replace(/\?.*/, ""));
}

/** Returns the strongest of several effects. */
export function pickStrongest(effects: readonly Effect[]): Effect {
  return (["destructive", "paid", "write"] as const).find((effect) => effects.includes(effect)) ?? "read";
}

/** Returns whether the server must refuse the request of a step. */
export function mustBeRefused(step: Step): boolean {
  const { status, error, refused, toolError } = (step.expect ?? {}) as ResponseText;
  if (step.burst || step.race) return false;
  if (step.mcp) return refused !== undefined || toolError !== undefined;
  return error !== undefined || [status].flat().every((wanted) => /^4(\d\d|xx)$/.test(String(wanted)));
}

/** Returns a text in which an example replaces each variable. */
export function createExample(text: string, { variable }: RequestRules): string {
  return interpolateText(text, (name) => variable(name)?.example ?? "x");
}
