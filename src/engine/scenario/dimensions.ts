import type { ResponseText, Row, SeriesText, Step, StepRequest } from "./format.js";
import { interpolate } from "./interpolate.js";
import type { CompiledStep, Scenario } from "./scenario.js";

/** A set of values that clauses quantify over, as in "every filter". */
export interface Dimension {
  /** Describes one value: "a filter of the list of books". */
  description: string;
  /** The kind of `CoverageRules.shownBy` that shows its values in a request or an expectation: one kind, or one for each surface. */
  by?: string | Readonly<Record<string, string>>;
  /** The larger dimension that contains its values. A check that covers a value there covers it here too. */
  of?: string;
  /** Its values: one list for all surfaces, or one list for each surface. */
  values: readonly string[] | Readonly<Record<string, readonly string[]>>;
}

/** All dimensions by name. */
export type Dimensions = Readonly<Record<string, Dimension>>;

/** The rules that find the values that a check covers. */
export interface CoverageRules {
  dimensions: Dimensions;
  /** Returns the surface that a request goes to. */
  surfaceOf(request: StepRequest): string;
  /** Returns the values that a request and the expectation of its response show, by kind. All variables are filled in. */
  shownBy(request: StepRequest, expected: ResponseText | SeriesText): Readonly<Record<string, readonly string[]>>;
}

/** Covered values: surface -> dimension -> values. A surface without dimensions is covered by its own entry. */
export type Covers = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** One value that a clause must hold for, on one surface. */
export interface Cell {
  surface: string;
  dimension: string;
  value: string;
}

/** The fields of a clause that tell what it quantifies over. */
export interface Quantifiers {
  surface: readonly string[];
  /** Names of dimensions. */
  over?: readonly string[] | undefined;
  /** Values that no check can reach, each with its reason: dimension -> value -> reason. */
  except?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/** The dimension of a clause that quantifies over no other dimension. */
export const SURFACE_DIMENSION = "surface";

/** The surface of clauses about clients. Scenarios test servers, so it has no cells. */
const CLIENT_SURFACE = "client";

/** Returns the values of a dimension on one surface. */
export function listValues(dimension: Dimension | undefined, surface: string): readonly string[] {
  const { values = [] } = dimension ?? {};
  return Array.isArray(values) ? values : ((values as Readonly<Record<string, readonly string[]>>)[surface] ?? []);
}

/** Returns the kind of value that shows a dimension on a surface. A dimension without a kind takes that of its larger dimension. */
function findKind(name: string, surface: string, dimensions: Dimensions): string | undefined {
  const { by, of } = dimensions[name] ?? {};
  if (by === undefined) return of === undefined ? undefined : findKind(of, surface, dimensions);
  return typeof by === "string" ? by : by[surface];
}

/**
 * Returns the cells that the checks of a clause must cover: each value of its dimensions on each of its surfaces. A surface without values
 * is one cell.
 */
export function listCells({ surface: surfaces, over = [], except = {} }: Quantifiers, dimensions: Dimensions): Cell[] {
  return surfaces
    .filter((surface) => surface !== CLIENT_SURFACE)
    .flatMap((surface) => {
      const cells = over.flatMap((dimension) =>
        listValues(dimensions[dimension], surface).map((value) => ({ surface, dimension, value })),
      );
      return cells.length > 0 ? cells : [{ surface, dimension: SURFACE_DIMENSION, value: surface }];
    })
    .filter(({ dimension, value }) => except[dimension]?.[value] === undefined);
}

/** Returns whether a cell is covered, by its own dimension or by the larger dimension that contains it. */
export function isCovered({ surface, dimension, value }: Cell, covers: readonly Covers[], dimensions: Dimensions): boolean {
  const names = [dimension, dimensions[dimension]?.of ?? dimension];
  return covers.some((cover) => {
    const reached = cover[surface];
    return reached !== undefined && (dimension === SURFACE_DIMENSION || names.some((name) => reached[name]?.includes(value)));
  });
}

/** Returns the names of the row variables for dimensions, each with its dimension. */
function getVariables(dimensions: Dimensions): readonly (readonly [variable: string, dimension: string])[] {
  const known = variablesByDimensions.get(dimensions);
  if (known) return known;
  const variables = Object.keys(dimensions).map((name) => [name.replaceAll(" ", "_"), name] as const);
  variablesByDimensions.set(dimensions, variables);
  return variables;
}

const variablesByDimensions = new WeakMap<Dimensions, ReturnType<typeof getVariables>>();

/** Returns a message about the first mistake in a `covers` entry. Does not check values with variables. */
export function findCoversMistake(covers: Row, dimensions: Dimensions): string | undefined {
  for (const [name, given] of Object.entries(covers)) {
    if (name === SURFACE_DIMENSION) continue;
    const dimension = dimensions[name];
    if (!dimension)
      return `no dimension is called "${name}"; allowed: ${Object.keys(dimensions).join(", ") || "none, there are none"}`;
    const { values } = dimension;
    const known = Array.isArray(values) ? values : Object.values(values).flat();
    const unknown = [given].flat().find((value) => !String(value).includes("{") && !known.includes(String(value)));
    if (unknown !== undefined) return `${name} has no value "${unknown}"; allowed: ${known.join(", ")}`;
  }
  return undefined;
}

/**
 * Returns the values that a check covers in one row of its step. They come from its requests and expectations, from row variables named like
 * a dimension, and from `covers`. If `wanted` is given, only these dimensions are included.
 */
export function findCovers(
  scenario: Pick<Scenario, "text" | "variables">,
  { text, requests }: Pick<CompiledStep, "text" | "requests">,
  row: Row,
  rules: CoverageRules,
  wanted?: ReadonlySet<string>,
): Covers {
  const variables = { ...scenario.variables, ...row };
  const fill = <T>(value: T): T => interpolate(interpolate(value, lookIn(variables)), lookIn(variables));
  const named = fill({ ...listRowNames(variables, rules), ...scenario.text.covers, ...text.covers });
  const dimensions = Object.entries(rules.dimensions).filter(([name]) => wanted?.has(name) !== false);
  const covers: Record<string, Record<string, string[]>> = {};
  const add = (surface: string, shown: Readonly<Record<string, readonly string[]>>) => {
    const reached = covers[surface] ?? {};
    covers[surface] = reached;
    for (const [name, dimension] of dimensions) {
      const kind = findKind(name, surface, rules.dimensions) ?? "";
      const seen = [...listTexts(named[name]), ...listTexts(named[dimension.of ?? name]), ...(shown[kind] ?? [])];
      const values = listValues(dimension, surface).filter((value) => seen.includes(value));
      if (values.length > 0) reached[name] = [...new Set([...(reached[name] ?? []), ...values])];
    }
  };
  for (const surface of listTexts(named[SURFACE_DIMENSION])) add(surface, {});
  for (const request of requests) {
    const filled = fill({ ...request.text });
    add(rules.surfaceOf(filled), dimensions.length > 0 ? rules.shownBy(filled, fill(text.expect ?? {})) : {});
  }
  return covers;
}

function listTexts(value: unknown): string[] {
  return value === undefined ? [] : [value].flat().map(String);
}

/** Returns the values that the checks of a clause cover in a scenario, one entry for each row. */
export function listCoversOfClause(scenario: Scenario, clause: string, rules: CoverageRules): Covers[] {
  return scenario.steps
    .filter(({ isCheck, clauses }) => isCheck && clauses.includes(clause))
    .flatMap((step) => (step.text.rows ?? [{}]).map((row) => findCovers(scenario, step, row, rules)));
}

function listRowNames(variables: Row, { dimensions }: CoverageRules): NonNullable<Step["covers"]> {
  return Object.fromEntries(
    getVariables(dimensions).flatMap(([variable, name]) => {
      const value = variables[variable];
      return typeof value === "string" || Array.isArray(value) ? [[name, value]] : [];
    }),
  );
}

/** Returns a lookup that leaves unknown variables unchanged. */
function lookIn(variables: Row): (name: string) => unknown {
  return (name) => (Object.hasOwn(variables, name) ? variables[name] : `{${name}}`);
}
