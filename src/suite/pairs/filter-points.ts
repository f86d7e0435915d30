import type { JudgedPoint } from "../../engine/property/property.js";
import { type Filters, hiddenFilters, pickConformingFilters, visibleFilters } from "../laws/lists/queries.js";
import { findObservationParameter } from "../statements/lists.js";

/** A filter of the observations with one of its values. */
export interface FilterPoint {
  filter: string;
  value: string;
}

/** Every filter with every value; for free values, one that the target or a row provides. */
export const filterPoints: readonly FilterPoint[] = [
  ...[...visibleFilters, ...hiddenFilters].flatMap(({ name, values }) => values.map((value) => ({ filter: name, value }))),
  { filter: "repo", value: "{slug}" },
  { filter: "repo", value: "{slug2}" },
  { filter: "since", value: "{since}" },
];

/** The names of the filters. */
export const filterNames: readonly string[] = [...new Set(filterPoints.map(({ filter }) => filter))];

/** Returns a filter point as text. */
export function namePoint({ filter, value }: FilterPoint): string {
  return `${filter}=${value.replace(/[{}]/g, "")}`;
}

/** Returns the filters of several points, with those that the contract requires; undefined where the contract does not allow the combination. */
export function combinePoints(...points: readonly FilterPoint[]): Filters | undefined {
  const given = Object.fromEntries(points.map(({ filter, value }) => [filter, value]));
  const filters = pickConformingFilters(given);
  return points.every(({ filter, value }) => filters[filter] === value) ? filters : undefined;
}

/** Returns the clauses of a filter with the value that they name. */
export function judgesFilter({ filter, value }: FilterPoint): JudgedPoint[] {
  const { clause, field, implies } = findObservationParameter(filter);
  if (clause === undefined || field === undefined) return [];
  const covers = { [`${filter.replaceAll("_", " ")} filter`]: `${filter}=${value}` };
  return [clause, ...(implies ? [implies.clause] : [])].map((one) => ({ clause: one, surface: "rest", covers }));
}
