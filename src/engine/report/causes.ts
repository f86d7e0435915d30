import { counted, shortList } from "../../common/phrases.js";
import type { Check } from "../execute/check.js";
import { type Cause, causesOf } from "../verdict/causes.js";
import { contrastsOf } from "../verdict/contrasts.js";
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
export function causesIn(report: Report, { clauses: ledger }: Pick<Outline, "clauses">): ReportedCause[] {
  const byId = new Map(report.checks.map((check) => [check.id, check]));
  return (report.causes ?? causesOf(report.checks)).map((cause) => ({
    ...cause,
    checks: cause.checks.flatMap((id) => byId.get(id) ?? []),
    contrasts: cause.clauses
      .slice(0, MAX_CLAUSES)
      .map((id) => `${id} ${contrastText(id, ledger[id]?.over ?? [], report.checks)}`),
  }));
}

/** Describes the size of a cause: `31 failed checks of 12 clauses; 7 checks could not be judged because of it`. */
export function impactText({ checks, clauses, unjudged }: Pick<ReportedCause, "checks" | "clauses" | "unjudged">): string {
  const failed = `${counted(checks.length, "failed check")} of ${counted(clauses.length, "clause")}`;
  return unjudged.length === 0 ? failed : `${failed}; ${counted(unjudged.length, "check")} could not be judged because of it`;
}

/** Recommends which cause to fix first. Returns an empty text if no check failed. */
export function causesSummary(causes: readonly ReportedCause[]): string {
  const [first] = causes;
  if (!first) return "";
  const all = new Set(causes.flatMap(({ checks }) => checks)).size;
  if (all === 1) return "1 failed check.";
  if (causes.length === 1) return `All ${counted(all, "failed check")} may have the same cause.`;
  const blocked = first.unjudged.length === 0 ? "" : `, and blocks ${counted(first.unjudged.length, "other check")}`;
  return `${counted(all, "failed check")}, probably ${causes.length} causes. Fix the first cause first: it explains ${first.checks.length} of them${blocked}.`;
}

function contrastText(clause: string, over: readonly string[], checks: readonly Check[]): string {
  const { passed, contrasts } = contrastsOf(clause, over, checks);
  if (contrasts.length > 0)
    return contrasts
      .map(({ dimension, failing, passing }) => `fails for ${shortList(failing, MAX_NAMES)}; ${passText(dimension, passing)}`)
      .join("; ");
  return passed === 0 ? "passes in no other check" : `passes in ${counted(passed, "other check")}`;
}

function passText(dimension: string, values: readonly string[]): string {
  return values.length > 2 ? `the other ${counted(values.length, dimension)} pass` : `passes for ${shortList(values, MAX_NAMES)}`;
}
