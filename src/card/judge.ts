import type { ClauseId } from "../contract/types.js";
import { judgedClauses } from "./card.js";
import { meetingsOf } from "./met.js";
import { type ClauseVerdict, type ClientReport, verdictOf } from "./report.js";
import { rules } from "./rules.js";
import type { Tally } from "./tally.js";

/** Returns the report of a client, or of the clients of many worlds together. */
export function reportOf(tally: Tally): ClientReport {
  const found = rules.flatMap(({ id, severity, clauses, says }) => {
    const one = tally.findings.get(id);
    return one
      ? [{ id, severity, clauses, says, count: one.count, examples: one.examples.map((example) => ({ ...example })) }]
      : [];
  });
  const findings = (["forbidden", "discouraged"] as const).flatMap((weight) =>
    found.filter(({ severity }) => severity === weight),
  );
  return {
    verdict: verdictOf({ findings, requests: tally.requests }),
    requests: tally.requests,
    findings,
    clauses: judgedClauses.map((id) => ({ id, verdict: clauseVerdict(tally, id) })),
    met: meetingsOf(tally.sights),
  };
}

function clauseVerdict({ findings, kept }: Tally, clause: ClauseId): ClauseVerdict {
  const about = rules.filter(({ clauses }) => clauses.includes(clause));
  const broken = about.filter(({ id }) => findings.has(id));
  if (broken.some(({ severity }) => severity === "forbidden")) return "failed";
  if (broken.length > 0) return "warned";
  return about.some(({ id }) => kept.has(id)) ? "passed" : "not-observed";
}
