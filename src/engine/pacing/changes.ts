import type { Profile } from "../scenario/effects.js";
import type { RequestRules } from "../scenario/requests.js";
import type { Demand, Scenario } from "../scenario/scenario.js";

/** The kinds of resources that a task changes, by the suite's names; `anything` where the kinds are unknown. */
export type Changes = ReadonlySet<string> | "anything";

/** The changes of a task that only reads. */
export const NO_CHANGES: Changes = new Set();

/**
 * Returns the kinds of resources that a scenario's requests may change; `anything` for a scenario that may trigger an event. `events`: the events that
 * may replace a setup step.
 */
export function listChanges(
  { effects, steps, demands }: Pick<Scenario, "effects" | "steps" | "demands">,
  rules: RequestRules,
  events: ReadonlySet<string>,
): Changes {
  if (steps.some(({ otherwise }) => otherwise && events.has(otherwise.text.drive ?? ""))) return "anything";
  if (effects.every((effect) => effect === "read")) return NO_CHANGES;
  if (steps.some(({ keyword }) => keyword === "drive")) return "anything";
  const kinds = demands.filter((demand) => isWrite(demand, rules)).map(rules.changedBy);
  return kinds.includes(undefined) ? "anything" : new Set(kinds.flatMap((some) => some ?? []));
}

/** Returns the events that may replace a setup step: those that the target offers, and none in a read-only run. */
export function listReplacingEvents({ profile, target }: { profile: Profile; target: { drive: object } }): ReadonlySet<string> {
  return new Set(profile === "read-only" ? [] : Object.keys(target.drive));
}

/** Tells whether a task changes any resource. */
export function isChange(changes: Changes): boolean {
  return changes === "anything" || changes.size > 0;
}

/** Tells whether two tasks change resources of the same kind. */
export function areOverlapping(changes: Changes, otherChanges: Changes): boolean {
  if (changes === "anything" || otherChanges === "anything") return isChange(changes) && isChange(otherChanges);
  return [...changes].some((kind) => otherChanges.has(kind));
}

function isWrite({ method, path, tool, purpose }: Demand, { effectOf, tools }: RequestRules): boolean {
  if (!tool) return effectOf(method, path.replace(/\?.*/s, "")) !== "read";
  return purpose !== undefined && tools[purpose]?.effect !== "read";
}
