import type { Check } from "../execute/check.js";

/** The values of one dimension for which a clause failed in some check, and those for which it only passed. */
export interface Contrast {
  dimension: string;
  failing: string[];
  passing: string[];
}

/** The other checks of a failed clause. */
export interface ClauseContrasts {
  /** Number of passed checks. */
  passed: number;
  contrasts: Contrast[];
}

/** Compares the failed and passed checks of a clause. `over`: the dimensions of the clause; the surface counts as a dimension. */
export function collectContrasts(clause: string, over: readonly string[], checks: readonly Check[]): ClauseContrasts {
  const ownChecks = checks.filter(({ clauses }) => clauses.includes(clause));
  const failedChecks = ownChecks.filter(({ verdict }) => verdict === "failed");
  const passedChecks = ownChecks.filter(({ verdict }) => verdict === "passed");
  const contrasts = [SURFACE_DIMENSION, ...over].map((dimension) => {
    const failing = listValues(failedChecks, dimension);
    return { dimension, failing, passing: listValues(passedChecks, dimension).filter((value) => !failing.includes(value)) };
  });
  return {
    passed: passedChecks.length,
    contrasts: contrasts.filter(({ failing, passing }) => failing.length > 0 && passing.length > 0),
  };
}

const SURFACE_DIMENSION = "surface";

/** Returns the values of a dimension that checks judged. */
function listValues(checks: readonly Check[], dimension: string): string[] {
  const values = checks.flatMap(({ covers = {} }) =>
    dimension === SURFACE_DIMENSION ? Object.keys(covers) : Object.values(covers).flatMap((reached) => reached[dimension] ?? []),
  );
  return [...new Set(values)];
}
