import type { JudgedPoint } from "../../../engine/property/property.js";
import type { Covers } from "../../../engine/scenario/dimensions.js";
import type { RateLimit } from "./rate-limit.js";
import type { Findings, RequestAtLimit } from "./rate-trial.js";

/** Covered values by dimension. */
export type Values = Readonly<Record<string, readonly string[]>>;

/** Returns the points that a trial has judged: of the limit's own clauses, of the other requests, and of a 429. */
export function listPoints(
  { kind, clauses, alsoJudged = [], requests }: RateLimit,
  { hasRetryAfter, helped, neighbours: otherRequests }: Evidence,
  values: Values,
): JudgedPoint[] {
  const surface = requests[0]?.mcp ? "mcp" : "rest";
  const requestLines = new Set(requests.map(({ rest, mcp }) => rest ?? JSON.stringify(mcp)));
  const own = { ...values, mix: [requestLines.size > 1 ? "several in turn" : "one operation"] };
  const ofRefusals = surface === "rest" && hasRetryAfter ? ["RETRY-AFTER-429", "ERR-TYPE-RATE", "ERR-CODE-RATE"] : [];
  return [
    ...[...clauses, ...alsoJudged, ...(kind === "path bucket" && hasRetryAfter ? ["BUCKET-CODE"] : [])].flatMap((clause) =>
      listPointsOver(clause, surface, own),
    ),
    ...otherRequests.flatMap(({ clause, step, values: otherValues = {} }) =>
      listPointsOver(clause, step.mcp ? "mcp" : "rest", otherValues),
    ),
    ...ofRefusals.flatMap((clause) => listPointsOver(clause, surface, { "kind of limit": [kind] })),
    ...(surface === "rest" && helped ? listPointsOver("RETRY-AFTER-HELPS", surface, values) : []),
  ];
}

/** Returns the evidence of a complete trial. */
export function completeEvidence(otherRequests: readonly RequestAtLimit[]): Evidence {
  return { hasRetryAfter: true, helped: true, neighbours: otherRequests };
}

type Evidence = Pick<Findings, "hasRetryAfter" | "helped" | "neighbours">;

/** Returns one point for each value. */
export function listPointsOver(clause: string, surface: string, values: Values): JudgedPoint[] {
  return Object.entries(values).flatMap(([dimension, all]) =>
    all.map((value) => ({ clause, surface, covers: { [dimension]: value } })),
  );
}

/** Returns what points cover together, for the lint: clause -> surface -> dimension -> values. */
export function groupCovers(points: readonly JudgedPoint[]): Record<string, Covers> {
  const found: Record<string, Record<string, Record<string, string[]>>> = {};
  for (const { clause, surface, covers } of points)
    for (const [dimension, value] of Object.entries(covers)) {
      const ofClause = found[clause] ?? {};
      const onSurface = ofClause[surface] ?? {};
      const values = new Set([...(onSurface[dimension] ?? []), value]);
      found[clause] = { ...ofClause, [surface]: { ...onSurface, [dimension]: [...values] } };
    }
  return found;
}
