import type { Check } from "../execute/check.js";
import { type Cause, causesOf } from "../verdict/causes.js";
import { elsewhere } from "../verdict/elsewhere.js";
import type { Outline } from "./outline.js";
import { plural } from "./reach.js";
import type { Report } from "./report.js";

/** A cause with all that reports show of it. */
export interface CauseView extends Omit<Cause, "checks"> {
  checks: Check[];
  /** How its clauses are met elsewhere, a sentence each; of the first few. */
  elsewhere: string[];
}

const MOST_CLAUSES = 3;
const MOST_NAMES = 4;

/** What the findings of a report have in common, what most hangs on first. */
export function causesIn(report: Report, { clauses: ledger }: Pick<Outline, "clauses">): CauseView[] {
  const byId = new Map(report.checks.map((check) => [check.id, check]));
  return (report.causes ?? causesOf(report.checks)).map((cause) => ({
    ...cause,
    checks: cause.checks.flatMap((id) => byId.get(id) ?? []),
    elsewhere: cause.clauses.slice(0, MOST_CLAUSES).map((id) => `${id} ${sentence(id, ledger[id]?.over ?? [], report.checks)}`),
  }));
}

/** How much hangs on a cause, in words: `31 failed checks of 12 clauses; 7 checks could not be judged for it`. */
export function weightText({ checks, clauses, unjudged }: Pick<CauseView, "checks" | "clauses" | "unjudged">): string {
  const own = `${counted(checks.length, "failed check")} of ${counted(clauses.length, "clause")}`;
  return unjudged.length === 0 ? own : `${own}; ${counted(unjudged.length, "check")} could not be judged for it`;
}

/** A number of things: `1 clause`, `2 clauses`. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : plural(noun)}`;
}

/** What to mend first, and what comes of it; empty where nothing is broken. */
export function firstThing(causes: readonly CauseView[]): string {
  const [first] = causes;
  if (!first) return "";
  const all = causes.reduce((sum, { checks }) => sum + checks.length, 0);
  if (causes.length === 1) return `All ${counted(all, "failed check")} may have one cause.`;
  const kept = first.unjudged.length === 0 ? "" : `, and ${counted(first.unjudged.length, "check")} could not be judged for it`;
  return `${counted(all, "failed check")}, probably of ${causes.length} causes. Mend the first of them first: ${first.checks.length} of these come of it${kept}.`;
}

function sentence(clause: string, over: readonly string[], checks: readonly Check[]): string {
  const { passed, contrasts } = elsewhere(clause, over, checks);
  if (contrasts.length > 0)
    return contrasts
      .map(({ dimension, failing, passing }) => `fails for ${named(failing)}; ${passes(dimension, passing)}`)
      .join("; ");
  return passed === 0 ? "passes in no other check" : `passes in ${counted(passed, "other check")}`;
}

function passes(dimension: string, values: readonly string[]): string {
  return values.length > 2 ? `the other ${counted(values.length, dimension)} pass` : `passes for ${named(values)}`;
}

function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return more > 0 ? `${names.slice(0, MOST_NAMES).join(", ")} and ${more} more` : names.join(", ");
}
