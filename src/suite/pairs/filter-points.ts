import type { JudgedPoint } from "../../engine/property/property.js";
import { conformingFilters, type Filters, hiddenFilters, shownFilters } from "../laws/lists.js";
import { observationParameter } from "../statements/lists.js";

/** One filter of the observations with one of its values. */
export interface FilterPoint {
  filter: string;
  value: string;
}

/** Every filter with every value; of what is free, values that the target or a row gives. */
export const filterPoints: readonly FilterPoint[] = [
  ...[...shownFilters, ...hiddenFilters].flatMap(({ name, values }) => values.map((value) => ({ filter: name, value }))),
  { filter: "repo", value: "{slug}" },
  { filter: "repo", value: "{slug2}" },
  { filter: "since", value: "{since}" },
];

/** The names of the filters. */
export const filterNames: readonly string[] = [...new Set(filterPoints.map(({ filter }) => filter))];

/** A point in a few words. */
export function nameOfPoint({ filter, value }: FilterPoint): string {
  return `${filter}=${value.replace(/[{}]/g, "")}`;
}

/** The filters of some points together, with what the text says to send with them; undefined where it does not let them stand together. */
export function together(...points: readonly FilterPoint[]): Filters | undefined {
  const given = Object.fromEntries(points.map(({ filter, value }) => [filter, value]));
  const filters = conformingFilters(given);
  return points.every(({ filter, value }) => filters[filter] === value) ? filters : undefined;
}

/** The clause that one filter is of, with the value that it speaks of. */
export function judgesFilter({ filter, value }: FilterPoint): JudgedPoint[] {
  const { clause, field, implies } = observationParameter(filter);
  if (clause === undefined || field === undefined) return [];
  const covers = { [`${filter.replaceAll("_", " ")} filter`]: `${filter}=${value}` };
  return [clause, ...(implies ? [implies.clause] : [])].map((one) => ({ clause: one, surface: "rest", covers }));
}
