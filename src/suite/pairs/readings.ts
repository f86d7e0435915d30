import type { SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { type Listing, readRows, sinceRow } from "../laws/listing.js";
import { type Filters, readList, shownFilters } from "../laws/lists.js";
import { PAGE_LIMIT } from "../statements/lists.js";
import { type FilterPoint, together } from "./filter-points.js";

/** The observations as they are read in one case: all of them, and those of each filter, each read once. */
export interface Readings {
  whole: Listing;
  /** The step that has saved `{since}`, once a list has asked for it: a time that some rows are before and some after. */
  since?: Step | undefined;
  /** The rows of filters; undefined where they cannot be read. */
  read(filters: Filters): Promise<Listing | undefined>;
}

/** Reads all observations, and whatever else is asked for when it is. */
export async function openReadings(sut: SystemUnderTest): Promise<{ ok: true; context: Readings } | { ok: false; why: string }> {
  const whole = await readRows(sut, "observations", listStep({}));
  if (!whole.ok) return whole;
  if (new Set(whole.keys).size < 2) return { ok: false, why: "there are no two observations" };
  const since = await sinceRow(
    sut,
    { list: "observations", filters: {} },
    Math.floor(Math.min(whole.rows.length, PAGE_LIMIT) / 2),
  );
  const known = new Map<string, Listing | undefined>();
  const read = async (filters: Filters) => {
    const name = JSON.stringify(filters);
    if (!known.has(name)) {
      const listing = isAskable(sut, filters) ? await readRows(sut, "observations", listStep(filters)) : undefined;
      known.set(name, listing?.ok ? listing : undefined);
    }
    return known.get(name);
  };
  return { ok: true, context: { whole, since, read } };
}

/** The rows of one point. */
export async function readPoint({ read }: Readings, point: FilterPoint): Promise<Listing | undefined> {
  return read(together(point) ?? {});
}

/** A filter and, where it keeps many rows, others beside it that leave few; undefined where nothing is to be had. */
export async function narrowed(readings: Readings, point: FilterPoint, most: number): Promise<Filters | undefined> {
  const isShown = shownFilters.some(({ name }) => name === point.filter);
  const rows = isShown ? matching(readings.whole.rows, [point]) : (await readPoint(readings, point))?.rows;
  if (!rows) return undefined;
  if (rows.length <= most) return together(point);
  const few = beside.find((others) => {
    const left = matching(rows, others).length;
    const apart = others.every(({ filter }) => filter !== point.filter);
    return apart && left > 2 && left <= most && together(point, ...others) !== undefined;
  });
  return few ? together(point, ...few) : undefined;
}

const shown: readonly FilterPoint[] = shownFilters.flatMap(({ name, values }) =>
  values.map((value) => ({ filter: name, value })),
);
const beside = shown.flatMap((one, index) => [
  [one],
  ...shown.slice(index + 1).flatMap((other) => (other.filter === one.filter ? [] : [[one, other]])),
]);

function matching(rows: Listing["rows"], points: readonly FilterPoint[]): Listing["rows"] {
  return rows.filter((row) => points.every(({ filter, value }) => row[filter] === value));
}

/** The step that reads all rows of filters. */
export function listStep(filters: Filters): Step {
  return readList({ list: "observations", filters }, { limit: PAGE_LIMIT });
}

/** What must be played before a list of filters. */
export function before({ since }: Readings, filters: Filters): Step[] {
  return "since" in filters && since ? [since] : [];
}

function isAskable(sut: SystemUnderTest, { repo, since }: Filters): boolean {
  return !(repo === "{slug2}" && !sut.offers("repos.2")) && !(since !== undefined && sut.lookup("since") === undefined);
}
