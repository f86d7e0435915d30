import type { Check } from "../../../src/engine/execute/check.js";
import type { Cause } from "../../../src/engine/verdict/causes.js";

/** The findings in a mock with several faults at once, and in mocks with one of these faults each. */
export interface FaultSet {
  /** The checks of the run against all faults. */
  checks: readonly Check[];
  /** By the name of each fault: the ids of the checks that fail because of it alone. */
  alone: Readonly<Record<string, readonly string[]>>;
}

/** The match between the causes of a run and its faults. */
export interface CauseMatch {
  /** Faults with one cause that no other fault shares, with a complete title. */
  right: string[];
  /** Faults with more than one cause. */
  split: string[];
  /** Faults that share a cause. */
  merged: string[];
  /** Faults with one cause, whose title names no operation, no place or no values. */
  unnamed: string[];
  /** Faults without a check that fails because of them alone: another fault hides them. */
  hidden: string[];
}

/** The ways in which a fault and its causes match, the wanted one first. */
export const kinds = ["right", "split", "merged", "unnamed", "hidden"] as const satisfies readonly (keyof CauseMatch)[];

/** Matches the causes with the faults. Ignores checks that more than one fault explains, and checks that fail only because of several faults together. */
export function matchCauses({ checks, alone }: FaultSet, causes: readonly Cause[]): CauseMatch {
  const failed = new Set(checks.filter(({ verdict }) => verdict === "failed").map(({ id }) => id));
  const names = Object.keys(alone);
  const getFaults = (id: string) => names.filter((name) => alone[name]?.includes(id));
  const own = (name: string) => (alone[name] ?? []).filter((id) => failed.has(id) && getFaults(id).length === 1);
  const getCauses = (name: string) => causes.filter((cause) => own(name).some((id) => cause.checks.includes(id)));
  const causeMatch: CauseMatch = { right: [], split: [], merged: [], unnamed: [], hidden: [] };
  for (const name of names) {
    const [cause, ...others] = getCauses(name);
    const isShared = names.some((other) => other !== name && cause && getCauses(other).includes(cause));
    if (!cause) causeMatch.hidden.push(name);
    else if (others.length > 0) causeMatch.split.push(name);
    else if (isShared) causeMatch.merged.push(name);
    else if (!isNamed(cause, checks)) causeMatch.unnamed.push(name);
    else causeMatch.right.push(name);
  }
  return causeMatch;
}

/** The longest title that a reader understands at a glance. */
const MAX_TITLE_CHARACTERS = 250;

/** Returns whether a title names an operation of its checks, a place and a value that is not cut. */
function isNamed({ title, checks: ids }: Cause, checks: readonly Check[]): boolean {
  const operations = checks
    .filter(({ id }) => ids.includes(id))
    .flatMap(({ operation, mismatches = [] }) => [operation, ...mismatches.map(({ tool }) => tool)])
    .filter((name) => name !== undefined);
  const isVague = /as expected|allowed outcomes/.test(title) || (title.includes("…") && !/ is .+, not /.test(title));
  return !isVague && title.length <= MAX_TITLE_CHARACTERS && operations.some((operation) => title.includes(operation));
}
