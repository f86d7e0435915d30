import type { Check } from "../execute/check.js";
import { type Cell, type Dimensions, isCovered, listCells, type Quantifiers, SURFACE_DIMENSION } from "../scenario/dimensions.js";

/** For one dimension of a clause, how many of its values were judged. */
export interface DimensionCoverage {
  dimension: string;
  /** Number of values on all surfaces of the clause. */
  values: number;
  /** Number of values that a check judged. */
  judged: number;
  /** The values that no check judged, with their surface if the dimension applies to several. */
  missing: string[];
}

/** Returns the coverage of each dimension of a clause. The surface is a dimension if the clause applies to several. */
export function computeDimensionCoverage(
  clause: Quantifiers,
  dimensions: Dimensions,
  checks: readonly Check[],
): DimensionCoverage[] {
  const covers = checks.flatMap(({ covers: own }) => (own ? [own] : []));
  const all = listCells(clause, dimensions);
  return [...new Set(all.map(({ dimension }) => dimension))]
    .map((dimension) => ({ dimension, cells: all.filter((cell) => cell.dimension === dimension) }))
    .filter(({ dimension, cells }) => dimension !== SURFACE_DIMENSION || cells.length > 1)
    .map(({ dimension, cells }) => {
      const missingCells = cells.filter((cell) => !isCovered(cell, covers, dimensions));
      return {
        dimension,
        values: cells.length,
        judged: cells.length - missingCells.length,
        missing: missingCells.map(createCellName(cells)),
      };
    });
}

function createCellName(cells: readonly Cell[]): (cell: Cell) => string {
  const onSeveral = new Set(cells.map(({ surface }) => surface)).size > 1;
  return ({ surface, dimension, value }) => (onSeveral && dimension !== SURFACE_DIMENSION ? `${surface} ${value}` : value);
}
