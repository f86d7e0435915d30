import type { RequestRules } from "../scenario/requests.js";
import type { Demand, Scenario } from "../scenario/scenario.js";

/** Kinds of things that an execution changes, as a suite names them; `anything` where nobody knows. */
export type Changes = ReadonlySet<string> | "anything";

/** Of what only reads. */
export const NO_CHANGES: Changes = new Set();

/** What a scenario changes, by all that it may send. Behind the service it may change anything. */
export function changesOf(
  { effects, steps, demands }: Pick<Scenario, "effects" | "steps" | "demands">,
  rules: RequestRules,
): Changes {
  if (effects.every((effect) => effect === "read")) return NO_CHANGES;
  if (steps.some(({ keyword }) => keyword === "drive")) return "anything";
  const kinds = demands.filter((demand) => isWrite(demand, rules)).map(rules.changedBy);
  return kinds.includes(undefined) ? "anything" : new Set(kinds.flatMap((some) => some ?? []));
}

/** Whether anything is changed. */
export function isChange(changes: Changes): boolean {
  return changes === "anything" || changes.size > 0;
}

/** Whether two executions change things of one kind. */
export function overlap(one: Changes, other: Changes): boolean {
  if (one === "anything" || other === "anything") return isChange(one) && isChange(other);
  return [...one].some((kind) => other.has(kind));
}

function isWrite({ method, path, tool, purpose }: Demand, { effectOf, tools }: RequestRules): boolean {
  if (!tool) return effectOf(method, path.replace(/\?.*/s, "")) !== "read";
  return purpose !== undefined && tools[purpose]?.effect !== "read";
}
