import type { Check } from "../execute/check.js";
import { type Cell, cellsOf, type Dimensions, isCovered, type Quantifiers, SURFACE } from "../scenario/dimensions.js";

/** How much of one dimension of a clause was judged. */
export interface DimensionCoverage {
  dimension: string;
  /** How many values there are on the surfaces of the clause. */
  values: number;
  /** How many of them some check has judged. */
  judged: number;
  /** The others, with their surface where the dimension is on several. */
  missing: string[];
}

/** How much of what a clause speaks of its checks have judged, dimension by dimension; nothing of a clause that is on one surface and over nothing. */
export function dimensionCoverageOf(clause: Quantifiers, dimensions: Dimensions, checks: readonly Check[]): DimensionCoverage[] {
  const covers = checks.flatMap(({ covers: own }) => (own ? [own] : []));
  const all = cellsOf(clause, dimensions);
  return [...new Set(all.map(({ dimension }) => dimension))]
    .map((dimension) => ({ dimension, cells: all.filter((cell) => cell.dimension === dimension) }))
    .filter(({ dimension, cells }) => dimension !== SURFACE || cells.length > 1)
    .map(({ dimension, cells }) => {
      const missing = cells.filter((cell) => !isCovered(cell, covers, dimensions));
      return { dimension, values: cells.length, judged: cells.length - missing.length, missing: missing.map(nameIn(cells)) };
    });
}

function nameIn(cells: readonly Cell[]): (cell: Cell) => string {
  const onSeveral = new Set(cells.map(({ surface }) => surface)).size > 1;
  return ({ surface, dimension, value }) => (onSeveral && dimension !== SURFACE ? `${surface} ${value}` : value);
}
