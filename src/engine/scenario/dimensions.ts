import type { AnswerText, Row, SeriesText, StepRequest } from "./format.js";

/** One thing that clauses quantify over, as in "every filter". */
export interface Dimension {
  /** In words, of one: "a filter of the list of books". */
  says: string;
  /** How a request or what is expected shows a value by itself: one of the kinds that `CoverageRules.shownBy` tells apart, or of each surface its own. */
  by?: string | Readonly<Record<string, string>>;
  /** The dimension that it is a part of: what covers a value of that one covers it here. */
  of?: string;
  /** Its values, the same on each surface or of each its own. */
  values: readonly string[] | Readonly<Record<string, readonly string[]>>;
}

/** Every dimension by its name. */
export type Dimensions = Readonly<Record<string, Dimension>>;

/** How it is known of what a check says something. */
export interface CoverageRules {
  dimensions: Dimensions;
  /** The surface that a request goes to. */
  surfaceOf(request: StepRequest): string;
  /** What a request and what is expected of its answer show, every variable filled in: kind of value -> values. */
  shownBy(request: StepRequest, expected: AnswerText | SeriesText): Readonly<Record<string, readonly string[]>>;
}

/** What checks cover: surface -> dimension -> values. A surface without dimensions is covered itself. */
export type Covers = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** One value that a clause speaks of, on one surface. */
export interface Cell {
  surface: string;
  dimension: string;
  value: string;
}

/** As much of a clause as says what it quantifies over. */
export interface Quantifiers {
  surface: readonly string[];
  /** Dimensions. */
  over?: readonly string[] | undefined;
  /** Values that no check can reach, each with its reason: dimension -> value -> reason. */
  except?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/** The dimension of a clause that quantifies over nothing else. */
export const SURFACE = "surface";

/** Callers are on no surface of a server's. */
const CALLERS = "client";

/** Returns the values of a dimension on one surface. */
export function valuesOn(dimension: Dimension | undefined, surface: string): readonly string[] {
  const { values = [] } = dimension ?? {};
  return Array.isArray(values) ? values : ((values as Readonly<Record<string, readonly string[]>>)[surface] ?? []);
}

/** Returns the kind of value that shows a dimension, or the dimension that it is a part of, on a surface. */
export function kindOn(name: string, surface: string, dimensions: Dimensions): string | undefined {
  const { by, of } = dimensions[name] ?? {};
  if (by === undefined) return of === undefined ? undefined : kindOn(of, surface, dimensions);
  return typeof by === "string" ? by : by[surface];
}

/**
 * Returns the cells that the checks of a clause must cover: each value of its dimensions on each of its surfaces. A surface without values
 * is one cell.
 */
export function cellsOf({ surface: surfaces, over = [], except = {} }: Quantifiers, dimensions: Dimensions): Cell[] {
  return surfaces
    .filter((surface) => surface !== CALLERS)
    .flatMap((surface) => {
      const cells = over.flatMap((dimension) =>
        valuesOn(dimensions[dimension], surface).map((value) => ({ surface, dimension, value })),
      );
      return cells.length > 0 ? cells : [{ surface, dimension: SURFACE, value: surface }];
    })
    .filter(({ dimension, value }) => except[dimension]?.[value] === undefined);
}

/** Returns whether a cell is covered, by its dimension or by the dimension that it is a part of. */
export function isCovered({ surface, dimension, value }: Cell, covers: readonly Covers[], dimensions: Dimensions): boolean {
  const names = [dimension, dimensions[dimension]?.of ?? dimension];
  return covers.some((one) => {
    const reached = one[surface];
    return reached !== undefined && (dimension === SURFACE || names.some((name) => reached[name]?.includes(value)));
  });
}

/** Returns the variable name that stands for a dimension in a row. */
export function variableOf(dimension: string): string {
  return dimension.replaceAll(" ", "_");
}

/** Returns what is wrong with a `covers` entry. Values with variables are not checked. */
export function coversMistake(covers: Row, dimensions: Dimensions): string | undefined {
  for (const [name, given] of Object.entries(covers)) {
    if (name === SURFACE) continue;
    const dimension = dimensions[name];
    if (!dimension)
      return `no dimension is called "${name}"; allowed: ${Object.keys(dimensions).join(", ") || "none, there are none"}`;
    const { values } = dimension;
    const known = Array.isArray(values) ? values : Object.values(values).flat();
    const stranger = [given].flat().find((value) => !String(value).includes("{") && !known.includes(String(value)));
    if (stranger !== undefined) return `${name} has no value "${stranger}"; allowed: ${known.join(", ")}`;
  }
  return undefined;
}
