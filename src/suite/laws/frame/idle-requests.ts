import type { Frame } from "../../statements/frames.js";
import { finalStatuses, isInFlight, wrongStatusClauses } from "../../statements/jobs.js";
import { findTriageAction, findTriageStatement, triageActionNames } from "../../statements/observations.js";
import type { Operation } from "../../statements/operations.js";
import type { View } from "./view.js";

/**
 * Returns the frame of a request for which the tables of section 3 have no row in the state of its resource; undefined where they have one, or where
 * the state is unknown. Whether a server refuses such a request is open, and whether it acknowledges a closed observation.
 */
export function findIdleFrame(operation: Operation, idFields: readonly string[], before: View): Frame | undefined {
  const statuses = idFields.flatMap((id) => before.observation?.get(id)?.status ?? before.job?.get(id)?.status ?? []).map(String);
  const act = findTriageAction(operation);
  if (act) {
    const { from, wrongStatusClause } = findTriageStatement(act);
    const isIdle = statuses.some((status) => status !== from);
    return isIdle ? { clause: wrongStatusClause, named: { observation: ["acknowledged_at"] } } : undefined;
  }
  switch (operation) {
    case "POST /api/observations/{ref}/fix":
      return statuses.includes("closed") ? { clause: "OBS-FIX-ON-CLOSED" } : undefined;
    case "POST /api/jobs/{job_id}/cancel":
      return statuses.some((status) => finalStatuses.some((finalStatus) => finalStatus === status))
        ? { clause: wrongStatusClauses.cancel }
        : undefined;
    case "POST /api/jobs/{job_id}/retry":
      return statuses.some(isInFlight) ? { clause: wrongStatusClauses.retry } : undefined;
    default:
      return undefined;
  }
}

/** Returns whether the tables have no row for a request, by the variables that it names: `{closed}` is closed, `{job}` cancelled, `{live}` in flight. */
export function isIdleBy(operation: Operation, names: readonly string[]): boolean {
  const act = findTriageAction(operation);
  if (act) return names.includes("closed") !== (findTriageStatement(act).from === "closed");
  if (operation === "POST /api/observations/{ref}/publish-ticket") return !names.includes("ticketed");
  if (operation === "POST /api/jobs/{job_id}/retry") return names.includes("live");
  return names.includes(operation === "POST /api/jobs/{job_id}/cancel" ? "job" : "closed");
}

/** The clauses of these requests. */
export const idleClauses: readonly string[] = [
  ...new Set(triageActionNames.map((act) => findTriageStatement(act).wrongStatusClause)),
  ...[...Object.values(wrongStatusClauses), "OBS-FIX-ON-CLOSED"],
];
