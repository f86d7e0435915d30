import { formatPlural, formatShortList } from "../../common/phrases.js";
import type { ClauseVerdict } from "../verdict/clauses.js";
import type { DimensionCoverage } from "../verdict/dimension-coverage.js";
import type { Report } from "./report.js";

/** Describes how many values of each dimension a clause was judged for: `14 of 15 filters (missing: since)`. Names at most `max` missing values. */
export function formatDimensions({ dimensions = [] }: Pick<ClauseVerdict, "dimensions">, max = Number.POSITIVE_INFINITY): string {
  return dimensions
    .map((dimension) =>
      dimension.missing.length > 0
        ? `${formatCoverageCount(dimension)} (missing: ${formatShortList(dimension.missing, max)})`
        : formatCoverageCount(dimension),
    )
    .join("; ");
}

/** Returns the passed clauses of which some values were not judged. */
export function listPartlyCovered({ clauses }: Pick<Report, "clauses">): ClauseVerdict[] {
  return clauses.filter(
    ({ verdict, dimensions = [] }) => verdict === "passed" && dimensions.some(({ missing }) => missing.length > 0),
  );
}

/** Summarizes the dimension coverage of all passed clauses in one line. Returns an empty text if no passed clause has a dimension. */
export function summarizeDimensions({ clauses }: Pick<Report, "clauses">): string {
  const quantified = clauses.filter(({ verdict, dimensions = [] }) => verdict === "passed" && dimensions.length > 0);
  const all = quantified.flatMap(({ dimensions = [] }) => dimensions);
  const sum = (field: "values" | "judged") => all.reduce((total, dimensionCoverage) => total + dimensionCoverage[field], 0);
  if (all.length === 0) return "";
  const apply = quantified.length === 1 ? "1 passed clause applies" : `${quantified.length} passed clauses apply`;
  return `${apply} to several values: ${sum("judged")} of ${sum("values")} values were judged`;
}

function formatCoverageCount({ dimension, values, judged }: DimensionCoverage): string {
  return `${judged} of ${values} ${values === 1 ? dimension : formatPlural(dimension)}`;
}
