import {
  type Cell,
  type CoverageRules,
  type Covers,
  type Dimensions,
  isCovered,
  listCells,
  listCoversOfClause,
  listValues,
  type Quantifiers,
  SURFACE_DIMENSION,
} from "./dimensions.js";
import type { Ledger } from "./lint.js";
import type { Scenario } from "./scenario.js";

/** The scenarios and properties that judge clauses. */
export interface Judges {
  scenarios: readonly Scenario[];
  /** The properties. `covers` holds the values that the cases of a property cover, by clause. */
  properties: readonly { covers?: Readonly<Record<string, Covers>> }[];
}

/** A mistake in the ledger. `where` is the id of a clause or the name of a dimension. */
export interface LedgerMistake {
  where: string;
  what: string;
}

/** Returns the unknown names in `over` and `except`, and the dimensions that no clause uses. */
export function findQuantifierMistakes(ledger: Ledger, dimensions: Dimensions): LedgerMistake[] {
  const used = new Set(Object.values(ledger).flatMap(({ over = [] }) => over.flatMap((name) => [name, dimensions[name]?.of])));
  return [
    ...Object.entries(dimensions).flatMap(([where, { values }]) => {
      if (Object.values(values).flat().length === 0) return [{ where, what: "the dimension has no values" }];
      return used.has(where) ? [] : [{ where, what: "no clause is over this dimension" }];
    }),
    ...Object.entries(ledger).flatMap(([where, clause]) => findMistakes(clause, dimensions).map((what) => ({ where, what }))),
  ];
}

/** Returns the values that a clause must hold for and that no check covers. */
export function findGaps(clause: string, ledger: Ledger, { scenarios, properties }: Judges, rules: CoverageRules): Cell[] {
  const covers = [
    ...scenarios
      .filter(({ claims }) => claims.includes(clause))
      .flatMap((scenario) => listCoversOfClause(scenario, clause, rules)),
    ...properties.flatMap(({ covers: { [clause]: own } = {} }) => (own ? [own] : [])),
  ];
  const quantified = ledger[clause];
  return quantified ? listCells(quantified, rules.dimensions).filter((cell) => !isCovered(cell, covers, rules.dimensions)) : [];
}

/** Returns the gaps of one clause in a line, by surface and dimension: `rest filter: since, order; mcp`. */
export function formatGaps(gaps: readonly Cell[]): string {
  const groups = new Map<string, string[]>();
  for (const { surface, dimension, value } of gaps) {
    const group = dimension === SURFACE_DIMENSION ? surface : `${surface} ${dimension}`;
    groups.set(group, [...(groups.get(group) ?? []), ...(dimension === SURFACE_DIMENSION ? [] : [value])]);
  }
  return [...groups].map(([group, values]) => (values.length > 0 ? `${group}: ${values.join(", ")}` : group)).join("; ");
}

function findMistakes({ surface: surfaces, over = [], except = {} }: Quantifiers, dimensions: Dimensions): string[] {
  const known = Object.keys(dimensions);
  const unknown = over.filter((name) => !dimensions[name]);
  const unknownNames = Object.entries(except).flatMap(([name, values]) => {
    const all = surfaces.flatMap((surface) => listValues(dimensions[name], surface));
    if (!over.includes(name)) return [`except: the clause is not over "${name}"; allowed: ${over.join(", ") || "nothing"}`];
    return Object.keys(values)
      .filter((value) => !all.includes(value))
      .map((value) => `except: ${name} has no value "${value}" there; allowed: ${all.join(", ")}`);
  });
  return [...unknown.map((name) => `over: no dimension is called "${name}"; allowed: ${known.join(", ")}`), ...unknownNames];
}
