import type { ClauseId } from "../contract/types.js";
import { comparedClauses } from "./card.js";
import type { ClauseVerdict, ClientReport, Remark } from "./report.js";

/** How a client's program fared in one run. */
export interface Trial {
  report: ClientReport;
  exitCode: number;
}

/**
 * Lays a run against answers as they usually are beside one in which all that the contract allows to vary did vary: a client that leans on
 * nothing but the contract fares alike. The report is that of both runs together. How often it calls, and how many pages it reads, may differ.
 */
export function compareTrials(plain: Trial, varied: Trial): ClientReport {
  const leaning = leaningRemarks(plain, varied);
  const remarks = [...leaning, ...joinRemarks(plain.report.remarks, varied.report.remarks)];
  const compared: ClauseVerdict =
    leaning.length === 0 ? "passed" : leaning.some(({ severity }) => severity === "forbidden") ? "failed" : "warned";
  // a program that fails by itself shows nothing
  const verdict = plain.exitCode === 0 ? compared : "not-observed";
  return {
    verdict: remarks.length === 0 ? "polite" : "remarks",
    requests: plain.report.requests + varied.report.requests,
    remarks,
    clauses: plain.report.clauses.map(({ id, verdict: first }, i) => ({
      id,
      verdict: comparedClauses.includes(id) ? verdict : worse(first, varied.report.clauses[i]?.verdict ?? first),
    })),
    met: plain.report.met,
  };
}

function leaningRemarks(plain: Trial, varied: Trial): Remark[] {
  if (plain.exitCode !== 0) return [];
  const clauses: ClauseId[] = [...comparedClauses];
  if (varied.exitCode !== 0) return [{ ...leansOn, severity: "forbidden", clauses, count: 1, examples: [exampleOf(varied)] }];
  const missing = [
    ...missingIn(plain.report.met.routes.met, varied.report.met.routes.met),
    ...missingIn(plain.report.met.tools.met, varied.report.met.tools.met),
  ];
  if (missing.length === 0) return [];
  const examples = missing.slice(0, 5).map((request) => ({ entry: null, request, why: "called in the plain run only" }));
  return [{ ...leansOn, severity: "discouraged", clauses, count: missing.length, examples }];
}

const leansOn = {
  id: "leans-on-undocumented",
  says: "The program fared otherwise when answers varied as the contract allows: further fields, another order of keys, another status for the same refusal, other pages. Tolerate unknown fields, branch on `error.code`, and take only 201 for a run that was started.",
};

function exampleOf({ exitCode }: Trial): Remark["examples"][number] {
  return {
    entry: null,
    request: "the whole program",
    why: `it ended with ${exitCode} when answers varied, and with 0 when they did not`,
  };
}

function missingIn(before: readonly string[], after: readonly string[]): string[] {
  return before.filter((name) => !after.includes(name));
}

function joinRemarks(first: readonly Remark[], second: readonly Remark[]): Remark[] {
  const both = first.map((remark) => {
    const other = second.find(({ id }) => id === remark.id);
    return other ? { ...remark, count: remark.count + other.count } : remark;
  });
  return [...both, ...second.filter(({ id }) => !first.some((remark) => remark.id === id))];
}

const order: readonly ClauseVerdict[] = ["not-observed", "passed", "warned", "failed"];

function worse(one: ClauseVerdict, other: ClauseVerdict): ClauseVerdict {
  return order.indexOf(one) > order.indexOf(other) ? one : other;
}
