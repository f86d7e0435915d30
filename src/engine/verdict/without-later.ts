import type { Check } from "../execute/check.js";
import type { Evidence } from "./evidence.js";

/** The evidence with checks and clauses that came after the claimed edition reported and not scored: a failure there is a warning. */
export function withoutLater<Some extends Pick<Evidence, "scenarios" | "checks" | "claim">>(evidence: Some): Some {
  const laterLines = new Set(evidence.scenarios.flatMap((line) => (line.later ? [line.scenario] : [])));
  const laterClauses = new Set(evidence.claim?.later_clauses);
  const isLater = ({ scenario, clauses }: Check) =>
    laterLines.has(scenario) || (clauses.length > 0 && clauses.every((id) => laterClauses.has(id)));
  const later = new Set(evidence.checks.filter(isLater));
  if (later.size === 0 && laterLines.size === 0) return evidence;
  return {
    ...evidence,
    checks: evidence.checks.map((check) => (later.has(check) ? unscored(check) : check)),
    scenarios: evidence.scenarios.map((line) => {
      const own = evidence.checks.filter((check) => check.scenario === line.scenario && check.verdict === line.verdict);
      return line.later || (own.length > 0 && own.every((check) => later.has(check))) ? unscored(line) : line;
    }),
  };
}

function unscored<One extends { verdict: Check["verdict"] }>(one: One): One {
  if (["passed", "not-applicable", "warned"].includes(one.verdict)) return one;
  return { ...one, verdict: one.verdict === "failed" ? "warned" : "informational" };
}
