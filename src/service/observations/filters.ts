import { contract } from "../../contract/load.js";
import { isLive } from "../repositories/repos.js";
import { rowOf } from "../world/lookups.js";
import type { Order, View } from "../world/views.js";
import type { Observation, World } from "../world/world.js";
import { hasOpenFixPr } from "./fixes.js";

type Test = (observation: Observation) => boolean;
type Filter = (asked: never, world: World) => Test;

/** The filters of the list, by the name of the query parameter: each makes of the value asked for a test that a row passes. */
const filters = {
  kind: (kind: Observation["kind"]) => (row) => row.kind === kind,
  // OBS-LANE-EXCLUDED: an open fix PR takes it out of the open ones
  status: (status: Observation["status"]) => (row) => row.status === status && (status !== "new" || !hasOpenFixPr(row)),
  priority: (priority: Observation["priority"]) => (row) => row.priority === priority,
  category: (category: Observation["category"]) => (row) => row.category === category,
  domain: (domain: Observation["domain"]) => (row) => row.domain === domain,
  close_reason: (reason: Observation["close_reason"]) => (row) => row.close_reason === reason,
  // ADDR-SLUG-PARSE: two owners' equal slugs both match
  repo: (slug: string, world: World) => (row) => rowOf(world.repos, row.repo).slug === slug,
  // OBS-LANE-HAS-FIX-PR: whatever else is asked
  has_fix_pr: (had: boolean) => (row) => (row.fix_pr !== null) === had,
  // OBS-FILTER-FLAG-CHOICE; asking for `false` asks for nothing
  easy_wins: (only: boolean) => (row) => !only || (isOpenFinding(row) && row.easy_win && row.priority !== "P3"),
  needs_review: (only: boolean) => (row) => !only || (isOpenFinding(row) && row.needs_review),
} satisfies Record<string, Filter>;

type FilterName = keyof typeof filters;
type Filters = { [Name in FilterName]?: Parameters<(typeof filters)[Name]>[0] };
type OrderName = keyof typeof orders;

/** The filters and the order of a list of observations, of the route's schema. `since` is in milliseconds. */
export type ObservationQuery = Filters & { since?: number; order?: OrderName };

/** A list of a workspace's observations. Filters given together all hold. OBS-FILTER-*, OBS-FILTER-COMBINE, OBS-ORDER-*. */
export function observationsView(world: World, workspace: string, query: ObservationQuery): View<"observations"> {
  const { order = "recency", since, ...asked } = query;
  const named = Object.entries(asked).sort(([a], [b]) => (a < b ? -1 : 1)) as [FilterName, never][];
  const tests = named.map(([name, value]) => filters[name](value, world));
  const view: View<"observations"> = {
    table: "observations",
    name: JSON.stringify([workspace, order, named]),
    order: orders[order],
    traits: named.reduce((all, [name, value]) => all | (bits.get(nameOf(name, value))?.bit ?? 0), 0),
    holds: (observation) =>
      observation.workspace === workspace && isLive(world, observation) && tests.every((test) => test(observation)),
  };
  return since === undefined ? view : narrowToSince(view, order, since);
}

/** The values that a filter can ask for, of those that have few and need no look at the world. */
const values: { [Name in Exclude<FilterName, "repo">]?: readonly NonNullable<Filters[Name]>[] } = {
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

/** A bit for each of them, and the test behind it. What is beyond the bits that a number has is not told at a glance. */
const bits = new Map(
  (Object.entries(values) as [keyof typeof values, readonly never[]][])
    .flatMap(([name, all]) => all.map((value) => [nameOf(name, value), filters[name](value)] as const))
    .slice(0, 31)
    .map(([name, test], place) => [name, { bit: 1 << place, test }]),
);

function nameOf(filter: FilterName, value: unknown): string {
  return `${filter} ${value}`;
}

/** Which of the filters a row passes. */
function traits(row: Observation): number {
  let found = 0;
  for (const { bit, test } of bits.values()) if (test(row)) found |= bit;
  return found;
}

/** Where a row stands in each order of the list. The number, newest first, tells equals apart. */
export const orders = {
  // OBS-ORDER-RECENCY
  recency: { name: "recency", rank: ({ updated_at, number }) => [-updated_at, -number], traits },
  display_rank: {
    name: "display_rank",
    // OBS-ORDER-RANK-KEYS: the digit of P0 to P3
    rank: ({ priority, severity, updated_at, number }) => [Number(priority[1]), -severity, -updated_at, -number],
    traits,
  },
  resolved: {
    name: "resolved",
    // OBS-ORDER-RESOLVED; OBS-ORDER-RESOLVED-OPEN: open ones come last, by recency
    rank: ({ resolved_at, updated_at, number }) =>
      resolved_at === null ? [1, -updated_at, -number] : [0, -resolved_at, -number],
    traits,
  },
} satisfies Record<string, Order<"observations">>;

/** OBS-FILTER-SINCE: strictly after. In the order of recency that is the head of the list; in another order it is a list of its own. */
function narrowToSince(view: View<"observations">, order: OrderName, since: number): View<"observations"> {
  if (order === "recency") return { ...view, until: [-since, Number.NEGATIVE_INFINITY] };
  return {
    ...view,
    name: `${view.name} ${since}`,
    holds: (observation) => observation.updated_at > since && view.holds(observation),
  };
}

function isOpenFinding({ kind, status }: Observation): boolean {
  return kind === "finding" && status === "new";
}
