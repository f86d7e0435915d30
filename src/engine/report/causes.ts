import { formatCount, formatShortList } from "../../common/phrases.js";
import type { Check } from "../execute/check.js";
import { type Cause, findCauses } from "../verdict/causes.js";
import { collectContrasts } from "../verdict/contrasts.js";
import type { Outline } from "./outline.js";
import type { Report } from "./report.js";

/** A cause with its checks and with sentences about its clauses, as reports show it. */
export interface ReportedCause extends Omit<Cause, "checks"> {
  checks: Check[];
  /** One sentence for each of the first clauses: for which values the clause fails and for which it passes. */
  contrasts: string[];
}

const MAX_CLAUSES = 3;
const MAX_NAMES = 4;

/** Returns the causes of the findings, with the largest first. */
export function listCauses(report: Report, { clauses: ledger }: Pick<Outline, "clauses">): ReportedCause[] {
  const byId = new Map(report.checks.map((check) => [check.id, check]));
  return (report.causes ?? findCauses(report.checks)).map((cause) => ({
    ...cause,
    checks: cause.checks.flatMap((id) => byId.get(id) ?? []),
    contrasts: cause.clauses
      .slice(0, MAX_CLAUSES)
      .map((id) => `${id} ${describeContrast(id, ledger[id]?.over ?? [], report.checks)}`),
  }));
}

/** Describes the size of a cause: `31 failed checks of 12 clauses; 7 checks could not be judged because of it`. */
export function formatImpact({ checks, clauses, unjudged }: Pick<ReportedCause, "checks" | "clauses" | "unjudged">): string {
  const failed = `${formatCount(checks.length, "failed check")} of ${formatCount(clauses.length, "clause")}`;
  return unjudged.length === 0 ? failed : `${failed}; ${formatCount(unjudged.length, "check")} could not be judged because of it`;
}

/** Recommends which cause to fix first. Returns an empty text if no check failed. */
export function summarizeCauses(causes: readonly ReportedCause[]): string {
  const [first] = causes;
  if (!first) return "";
  const all = new Set(causes.flatMap(({ checks }) => checks)).size;
  if (all === 1) return "1 failed check.";
  if (causes.length === 1) return `All ${formatCount(all, "failed check")} may have the same cause.`;
  const blocked = first.unjudged.length === 0 ? "" : `, and blocks ${formatCount(first.unjudged.length, "other check")}`;
  return `${formatCount(all, "failed check")}, probably ${causes.length} causes. Fix the first cause first: it explains ${first.checks.length} of them${blocked}.`;
}

function describeContrast(clause: string, over: readonly string[], checks: readonly Check[]): string {
  const { passed, contrasts } = collectContrasts(clause, over, checks);
  if (contrasts.length > 0)
    return contrasts
      .map(
        ({ dimension, failing, passing }) => `fails for ${formatShortList(failing, MAX_NAMES)}; ${passText(dimension, passing)}`,
      )
      .join("; ");
  return passed === 0 ? "passes in no other check" : `passes in ${formatCount(passed, "other check")}`;
}

function passText(dimension: string, values: readonly string[]): string {
  return values.length > 2
    ? `the other ${formatCount(values.length, dimension)} pass`
    : `passes for ${formatShortList(values, MAX_NAMES)}`;
}
