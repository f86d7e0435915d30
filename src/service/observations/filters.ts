import { contract } from "../../contract/load.js";
import { isLive } from "../repositories/repos.js";
import { readRow } from "../world/lookups.js";
import type { Order, View } from "../world/views.js";
import type { Observation, World } from "../world/world.js";
import { hasOpenFixPr } from "./fixes.js";

type Test = (observation: Observation) => boolean;
type Filter = (requested: never, world: World) => Test;

/** The list filters by query parameter. Each turns the requested value into a test of a row. */
const filters = {
  kind: (kind: Observation["kind"]) => (row) => row.kind === kind,
  // OBS-LANE-EXCLUDED: `status=new` leaves out observations with an open fix PR
  status: (status: Observation["status"]) => (row) => row.status === status && (status !== "new" || !hasOpenFixPr(row)),
  priority: (priority: Observation["priority"]) => (row) => row.priority === priority,
  category: (category: Observation["category"]) => (row) => row.category === category,
  domain: (domain: Observation["domain"]) => (row) => row.domain === domain,
  close_reason: (reason: Observation["close_reason"]) => (row) => row.close_reason === reason,
  // ADDR-SLUG-PARSE: two owners' equal slugs both match
  repo: (slug: string, world: World) => (row) => readRow(world.repos, row.repo).slug === slug,
  // OBS-LANE-HAS-FIX-PR
  has_fix_pr: (had: boolean) => (row) => (row.fix_pr !== null) === had,
  // OBS-FILTER-FLAG-CHOICE: `false` filters nothing
  easy_wins: (only: boolean) => (row) => !only || (isOpenFinding(row) && row.easy_win && row.priority !== "P3"),
  needs_review: (only: boolean) => (row) => !only || (isOpenFinding(row) && row.needs_review),
} satisfies Record<string, Filter>;

type FilterName = keyof typeof filters;
type Filters = { [Name in FilterName]?: Parameters<(typeof filters)[Name]>[0] };
type OrderName = keyof typeof orders;

/** The filters and the order of an observation list, valid by the route's schema. `since` is in milliseconds. */
export type ObservationQuery = Filters & { since?: number; order?: OrderName };

/** Returns the view of a workspace's observations that pass every given filter. OBS-FILTER-*, OBS-FILTER-COMBINE, OBS-ORDER-*. */
export function createObservationsView(world: World, workspace: string, query: ObservationQuery): View<"observations"> {
  const { order = "recency", since, ...requested } = query;
  const named = Object.entries(requested).sort(([a], [b]) => (a < b ? -1 : 1)) as [FilterName, never][];
  const tests = named.map(([name, value]) => filters[name](value, world));
  const view: View<"observations"> = {
    table: "observations",
    name: JSON.stringify([workspace, order, named]),
    order: orders[order],
    filterBits: named.reduce((all, [name, value]) => all | (bitsByFilter.get(buildFilterKey(name, value))?.bit ?? 0), 0),
    includes: (observation) =>
      observation.workspace === workspace && isLive(world, observation) && tests.every((test) => test(observation)),
  };
  return since === undefined ? view : narrowToSince(view, order, since);
}

/** The possible values of the filters that have few values and do not depend on other tables. */
const filterValues: { [Name in Exclude<FilterName, "repo">]?: readonly NonNullable<Filters[Name]>[] } = {
  kind: contract.enums.ObservationKind,
  status: contract.enums.ObservationStatus,
  priority: contract.enums.Priority,
  category: contract.enums.Category,
  domain: contract.enums.Domain,
  close_reason: contract.enums.CloseReason,
  has_fix_pr: [true, false],
  easy_wins: [true],
  needs_review: [true],
};

/**
 * A test and a bit for each of these values. Rows with the bit are found without the test, which keeps long lists fast. A value beyond bit 31
 * has no bit, and the view tests every row for it.
 */
const bitsByFilter = new Map(
  (Object.entries(filterValues) as [keyof typeof filterValues, readonly never[]][])
    .flatMap(([name, all]) => all.map((value) => [buildFilterKey(name, value), filters[name](value)] as const))
    .slice(0, 31)
    .map(([name, test], place) => [name, { bit: 1 << place, test }]),
);

function buildFilterKey(filter: FilterName, value: unknown): string {
  return `${filter} ${value}`;
}

/** Returns the bits of the filters that a row passes. */
function computeFilterBits(row: Observation): number {
  let found = 0;
  for (const { bit, test } of bitsByFilter.values()) if (test(row)) found |= bit;
  return found;
}

/** The sort keys of each list order. The number (newest first) makes every key unique. */
export const orders = {
  // OBS-ORDER-RECENCY
  recency: { name: "recency", rank: ({ updated_at, number }) => [-updated_at, -number], filterBits: computeFilterBits },
  display_rank: {
    name: "display_rank",
    // OBS-ORDER-RANK-KEYS: the digit of P0 to P3
    rank: ({ priority, severity, updated_at, number }) => [Number(priority[1]), -severity, -updated_at, -number],
    filterBits: computeFilterBits,
  },
  resolved: {
    name: "resolved",
    // OBS-ORDER-RESOLVED; OBS-ORDER-RESOLVED-OPEN: open ones come last, by recency
    rank: ({ resolved_at, updated_at, number }) =>
      resolved_at === null ? [1, -updated_at, -number] : [0, -resolved_at, -number],
    filterBits: computeFilterBits,
  },
} satisfies Record<string, Order<"observations">>;

/**
 * Keeps rows updated strictly after `since`. In the order `recency` these are the head of the list; any other order needs a
 * separate view. OBS-FILTER-SINCE.
 */
function narrowToSince(view: View<"observations">, order: OrderName, since: number): View<"observations"> {
  if (order === "recency") return { ...view, until: [-since, Number.NEGATIVE_INFINITY] };
  return {
    ...view,
    name: `${view.name} ${since}`,
    includes: (observation) => observation.updated_at > since && view.includes(observation),
  };
}

function isOpenFinding({ kind, status }: Observation): boolean {
  return kind === "finding" && status === "new";
}
