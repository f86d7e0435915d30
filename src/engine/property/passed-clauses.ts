import type { Check } from "../execute/check.js";
import type { JudgedPoint } from "./property.js";

/** The clauses that the cases of a property judged as passed, by clause id. */
export type PassedClauses = Map<string, PassedClause>;

interface PassedClause {
  /** Number of judgements. */
  subjects: number;
  /** surface -> dimension -> values. */
  covers: Record<string, Record<string, string[]>>;
}

/** Adds the clauses that one case judged as passed. */
export function addPassed(passedClauses: PassedClauses, points: readonly JudgedPoint[]): void {
  for (const { clause, surface, covers } of points) {
    const passedClause = passedClauses.get(clause) ?? { subjects: 0, covers: {} };
    passedClause.subjects += 1;
    const reached = passedClause.covers[surface] ?? {};
    passedClause.covers[surface] = reached;
    for (const [dimension, value] of Object.entries(covers)) {
      reached[dimension] = [...new Set([...(reached[dimension] ?? []), value])];
    }
    passedClauses.set(clause, passedClause);
  }
}

/** Returns a passed check for each clause. */
export function createPassedChecks(passedClauses: PassedClauses, property: string): Check[] {
  return [...passedClauses].map(([clause, { subjects, covers }]) => ({
    ...{ id: `${property}/${clause}`, scenario: property, step: clause, clauses: [clause], file: property, line: 1 },
    ...{ verdict: "passed" as const, subjects, covers },
  }));
}

/** Restores the passed clauses from the checks of an earlier run. */
export function countPassedClauses(checks: readonly Check[]): PassedClauses {
  return new Map(
    checks.flatMap(({ step, clauses, verdict, subjects, covers }) =>
      verdict === "passed" && clauses[0] === step && covers
        ? [[step, { subjects, covers: structuredClone(covers) as PassedClause["covers"] }]]
        : [],
    ),
  );
}
