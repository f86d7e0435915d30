import type { CaseOutcome } from "../../../engine/property/property.js";
import { findObservationParameter } from "../../statements/lists.js";
import type { Filters } from "./queries.js";

/** The clause of several filters: only rows that match all of them. */
export const COMBINATION_CLAUSE = "OBS-FILTER-COMBINE";

/** Returns the clause that a wrong row contradicts if only the combination of filters returns it. */
export function findClause(filter: string, others: Filters): string {
  return hasFilter(others) ? COMBINATION_CLAUSE : (findObservationParameter(filter).clause ?? "");
}

/** Runs a case. If it fails with several filters and the filter alone fails too, returns the failure of the filter alone. */
export async function judgeAlone(others: Filters, run: (others: Filters) => Promise<CaseOutcome>): Promise<CaseOutcome> {
  const found = await run(others);
  if (found.verdict !== "failed" || !hasFilter(others)) return found;
  const alone = await run({});
  return alone.verdict === "failed" ? alone : found;
}

function hasFilter(filters: Filters): boolean {
  return Object.keys(filters).some((name) => findObservationParameter(name).kind === "filter");
}
