import fc, { type Arbitrary } from "fast-check";
import type { DrawContext } from "../../../engine/property/property.js";
import type { Row, Step } from "../../../engine/scenario/format.js";
import {
  findListStatement,
  findObservationParameter,
  type ListName,
  type ListParameter,
  listParameters,
  type NamedParameter,
  PAGE_LIMIT,
} from "../../statements/lists.js";
import { createRequestLine } from "../../statements/setup-steps.js";

/** Query parameters that select rows. */
export type Filters = Readonly<Record<string, string>>;

/** A list and its filters. */
export interface Query {
  list: ListName;
  filters: Filters;
}

const parameters = listParameters("observations");
const filters = parameters.filter(({ kind }) => kind === "filter");

/** A filter whose values the contract lists. */
export type WordFilter = NamedParameter & { values: readonly string[] };

/** Filters of the observations whose value a row shows. */
export const visibleFilters: readonly WordFilter[] = filters.filter(hasValues).filter(({ field }) => field !== undefined);

const hidden = filters.filter(hasValues).filter(({ field }) => field === undefined);

/** Filters of the observations with listed values that rows do not show; first those whose values partition all rows. */
export const hiddenFilters: readonly WordFilter[] = [
  ...hidden.filter(({ partitions }) => partitions),
  ...hidden.filter(({ partitions }) => !partitions),
];

function hasValues(parameter: NamedParameter): parameter is WordFilter {
  return parameter.values !== undefined;
}

/** Filters that apply to every row, as pairs of a query. */
const filterPairs: readonly (readonly [string, string])[] = [...visibleFilters, ...hiddenFilters].flatMap(listPairs);
const orderPairs = parameters.filter(({ kind }) => kind !== "filter").flatMap(listPairs);

function listPairs({ name, values = [], onlyForStatus = {} }: NamedParameter): [string, string][] {
  return values.filter((value) => !(value in onlyForStatus)).map((value) => [name, value]);
}

/** Draws filters of the observations that the contract allows together. */
export function drawFilters({ offers }: DrawContext, max = 3): Arbitrary<Filters> {
  const slugs = listSlugs(offers).map((slug) => ["repo", slug] as const);
  return fc
    .uniqueArray(fc.constantFrom(...filterPairs, ...slugs, ...orderPairs), { selector: ([name]) => name, maxLength: max })
    .map((pairs) => pickConformingFilters(Object.fromEntries(pairs)));
}

/** Returns the slugs of the target's repositories. */
export function listSlugs(offers: DrawContext["offers"]): string[] {
  return ["{slug}", ...(offers("repos.2") ? ["{slug2}"] : [])];
}

/** Draws a list with filters. */
export function drawQuery(context: DrawContext): Arbitrary<Query> {
  const plain = fc.constantFrom<Query>(
    { list: "jobs", filters: {} },
    { list: "repositories", filters: {} },
    { list: "repository jobs", filters: {} },
    { list: "repository jobs", filters: { workflow: "audit" } },
    { list: "repository jobs", filters: { workflow: "discover" } },
  );
  const observations = drawFilters(context).map((filters): Query => ({ list: "observations", filters }));
  return fc.oneof({ arbitrary: observations, weight: 3 }, { arbitrary: plain, weight: 1 });
}

/** Draws a page size. Small sizes are more frequent because they produce more pages. */
export function drawLimit(): Arbitrary<number> {
  return fc.oneof(
    { arbitrary: fc.integer({ min: 1, max: 12 }), weight: 3 },
    { arbitrary: fc.integer({ min: 1, max: PAGE_LIMIT }), weight: 1 },
  );
}

/** Returns the step that reads a list. */
export function readList({ list, filters }: Query, more: Row, walk = true): Step {
  return {
    rest: createRequestLine(findListStatement(list).route),
    query: { ...filters, ...more },
    ...(walk && { allPages: true }),
  };
}

/** Removes contradicting filters and adds the filters that the contract requires together. */
export function pickConformingFilters(filters: Filters): Filters {
  const given = Object.keys(filters).map(findObservationParameter);
  const pair = given.find(({ pairedWith }) => pairedWith)?.pairedWith;
  if (pair)
    return {
      ...omitFilters(filters, (name) => listExcluded(findObservationParameter(name)).some((one) => one in pair)),
      ...pair,
    };
  const excluded = given.flatMap(listExcluded);
  return omitFilters(filters, (name) => excluded.includes(name));
}

/** Returns the parameters that one parameter excludes. */
export function listExcluded({ excludes: one, implies }: Partial<ListParameter>): string[] {
  return [...(one === undefined ? [] : [one]), ...Object.keys(implies?.row ?? {})];
}

/** Returns the filters without some names. */
export function omitFilters(filters: Filters, isOmitted: (name: string) => boolean): Filters {
  return Object.fromEntries(Object.entries(filters).filter(([name]) => !isOmitted(name)));
}
