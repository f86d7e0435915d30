import type { SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { type Listing, readRows, saveSince } from "../laws/lists/listing.js";
import { type Filters, readList, visibleFilters } from "../laws/lists/queries.js";
import { PAGE_LIMIT } from "../statements/lists.js";
import { combinePoints, type FilterPoint } from "./filter-points.js";

/** The observations of one case: all of them, and those of each filter, each read once. */
export interface Readings {
  whole: Listing;
  /** The step that saved `{since}`, a time in the middle of the rows. */
  since?: Step | undefined;
  /** Reads the rows of filters; undefined where they cannot be read. */
  read(filters: Filters): Promise<Listing | undefined>;
}

/** Reads all observations; other lists are read on demand. */
export async function openReadings(sut: SystemUnderTest): Promise<{ ok: true; context: Readings } | { ok: false; why: string }> {
  const result = await readRows(sut, "observations", createListStep({}));
  if (!result.ok) return result;
  if (new Set(result.keys).size < 2) return { ok: false, why: "the target shows fewer than two observations" };
  const since = await saveSince(
    sut,
    { list: "observations", filters: {} },
    Math.floor(Math.min(result.rows.length, PAGE_LIMIT) / 2),
  );
  const knownListings = new Map<string, Listing | undefined>();
  const read = async (filters: Filters) => {
    const name = JSON.stringify(filters);
    if (!knownListings.has(name)) {
      const listing = canFilter(sut, filters) ? await readRows(sut, "observations", createListStep(filters)) : undefined;
      knownListings.set(name, listing?.ok ? listing : undefined);
    }
    return knownListings.get(name);
  };
  return { ok: true, context: { whole: result, since, read } };
}

/** Reads the rows of one point. */
export async function readPoint({ read }: Readings, point: FilterPoint): Promise<Listing | undefined> {
  return read(combinePoints(point) ?? {});
}

/**
 * Returns the filters of a point, with other filters that leave at most `max` rows; undefined where no combination does. Prefers filters that
 * keep further rows behind these, so that a cursor without the point returns rows that the point excludes.
 */
export async function findFiltersWithFewRows(readings: Readings, point: FilterPoint, max: number): Promise<Filters | undefined> {
  const isShown = visibleFilters.some(({ name }) => name === point.filter);
  const rows = isShown ? listMatching(readings.whole.rows, [point]) : (await readPoint(readings, point))?.rows;
  if (!rows) return undefined;
  if (rows.length <= max) return combinePoints(point);
  const few = combinations.flatMap((otherFilterPoints) => {
    const left = listMatching(rows, otherFilterPoints);
    const apart = otherFilterPoints.every(({ filter }) => filter !== point.filter);
    const fits = apart && left.length > 2 && left.length <= max && combinePoints(point, ...otherFilterPoints) !== undefined;
    return fits
      ? [
          {
            others: otherFilterPoints,
            left: left.length,
            mixed: hasOtherValues(listMatching(readings.whole.rows, otherFilterPoints), left),
          },
        ]
      : [];
  });
  const [chosen] = few.sort((one, other) => Number(other.mixed) - Number(one.mixed) || other.left - one.left);
  return chosen ? combinePoints(point, ...chosen.others) : undefined;
}

/** Returns whether a list has other rows behind the last but one of some of its rows. */
function hasOtherValues(rows: Listing["rows"], some: Listing["rows"]): boolean {
  const refs = some.map(({ ref }) => ref);
  const place = rows.findIndex(({ ref }) => ref === refs.at(-2));
  return place >= 0 && rows.slice(place + 1).some(({ ref }) => !refs.includes(ref));
}

const visiblePoints: readonly FilterPoint[] = visibleFilters.flatMap(({ name, values }) =>
  values.map((value) => ({ filter: name, value })),
);
const combinations = visiblePoints.flatMap((visiblePoint, index) => [
  [visiblePoint],
  ...visiblePoints
    .slice(index + 1)
    .flatMap((otherFilterPoint) => (otherFilterPoint.filter === visiblePoint.filter ? [] : [[visiblePoint, otherFilterPoint]])),
]);

function listMatching(rows: Listing["rows"], points: readonly FilterPoint[]): Listing["rows"] {
  return rows.filter((row) => points.every(({ filter, value }) => row[filter] === value));
}

/** Returns the step that reads all rows of filters. */
export function createListStep(filters: Filters): Step {
  return readList({ list: "observations", filters }, { limit: PAGE_LIMIT });
}

/** Returns the steps that a list of filters needs first. */
export function createStepsBefore({ since }: Readings, filters: Filters): Step[] {
  return "since" in filters && since ? [since] : [];
}

function canFilter(sut: SystemUnderTest, { repo, since }: Filters): boolean {
  return !(repo === "{slug2}" && !sut.offers("repos.2")) && !(since !== undefined && sut.lookup("since") === undefined);
}
