import type { Check } from "../execute/check.js";

/** How a clause fared in one dimension of what it speaks of: the values for which a check failed, and those for which only passes were seen. */
export interface Contrast {
  dimension: string;
  failing: string[];
  passing: string[];
}

/** The other checks of a failed clause. */
export interface ClauseContrasts {
  clause: string;
  /** Checks of it that passed. */
  passed: number;
  contrasts: Contrast[];
}

/** Where a clause fails and where it passes; `over` are the dimensions that it speaks of. Surfaces count as one. */
export function contrastsOf(clause: string, over: readonly string[], checks: readonly Check[]): ClauseContrasts {
  const own = checks.filter(({ clauses }) => clauses.includes(clause));
  const failed = own.filter(({ verdict }) => verdict === "failed");
  const passed = own.filter(({ verdict }) => verdict === "passed");
  const contrasts = [SURFACE, ...over].map((dimension) => {
    const failing = valuesOf(failed, dimension);
    return { dimension, failing, passing: valuesOf(passed, dimension).filter((value) => !failing.includes(value)) };
  });
  return {
    clause,
    passed: passed.length,
    contrasts: contrasts.filter(({ failing, passing }) => failing.length > 0 && passing.length > 0),
  };
}

const SURFACE = "surface";

/** The values of a dimension that checks have judged. */
function valuesOf(checks: readonly Check[], dimension: string): string[] {
  const values = checks.flatMap(({ covers = {} }) =>
    dimension === SURFACE ? Object.keys(covers) : Object.values(covers).flatMap((reached) => reached[dimension] ?? []),
  );
  return [...new Set(values)];
}
