import type { ClauseId } from "../contract/types.js";
import { judgedClauses } from "./calls.js";
import { reportCoverage } from "./coverage.js";
import { type ClauseVerdict, type ClientReport, computeVerdict } from "./report.js";
import { rules } from "./rules.js";
import type { Tally } from "./tally.js";

/** Returns the report of a client, or of the clients of many worlds together. */
export function createReport(tally: Tally): ClientReport {
  const found = rules.flatMap(({ id, severity, clauses: all, message }) => {
    const findingTally = tally.findings.get(id);
    if (!findingTally) return [];
    const clauses = all.filter((clause) => findingTally.clauses.includes(clause));
    return [
      {
        id,
        severity,
        clauses,
        message,
        count: findingTally.count,
        examples: findingTally.examples.map((example) => ({ ...example })),
      },
    ];
  });
  const findings = (["forbidden", "discouraged"] as const).flatMap((weight) =>
    found.filter(({ severity }) => severity === weight),
  );
  const clauses = judgedClauses.map((id) => ({ id, verdict: judgeClause(tally, id) }));
  return {
    verdict: computeVerdict({ findings, clauses }),
    requests: tally.requests,
    findings,
    clauses,
    coverage: reportCoverage(tally.coverage),
  };
}

function judgeClause({ findings, passed }: Tally, clause: ClauseId): ClauseVerdict {
  const brokenRules = rules.filter(({ id }) => findings.get(id)?.clauses.includes(clause));
  if (brokenRules.some(({ severity }) => severity === "forbidden")) return "failed";
  if (brokenRules.length > 0) return "warned";
  return passed.has(clause) ? "passed" : "not-observed";
}
