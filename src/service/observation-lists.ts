import { hasOpenFixPr } from "./fixes.js";
import { isLive } from "./repos.js";
import type { Rank, View } from "./views.js";
import type { Observation, World } from "./world.js";

/** The filters and the order of a list of observations, of the route's schema. `since` is in milliseconds. */
export type ObservationQuery = Partial<
  Pick<Observation, "kind" | "status" | "priority" | "category" | "domain" | "close_reason">
> & {
  repo?: string;
  since?: number;
  has_fix_pr?: boolean;
  easy_wins?: boolean;
  needs_review?: boolean;
  order?: Order;
};
type Order = "recency" | "display_rank" | "resolved";
type Test = (observation: Observation) => boolean;

/** A list of a workspace's observations. Filters given together all hold. OBS-FILTER-*, OBS-FILTER-COMBINE, OBS-ORDER-*. */
export function observationsView(world: World, workspace: string, query: ObservationQuery): View<"observations"> {
  const { order = "recency", since, ...filters } = query;
  const named = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1));
  const tests = testsOf(world, filters);
  const view: View<"observations"> = {
    table: "observations",
    name: JSON.stringify([workspace, order, named]),
    order,
    holds: (observation) =>
      observation.workspace === workspace && isLive(world, observation) && tests.every((test) => test(observation)),
    rank: ranks[order],
  };
  return since === undefined ? view : narrowToSince(view, order, since);
}

/** Where a row stands in each order. The number, newest first, tells equals apart. */
const ranks: Record<Order, (observation: Observation) => Rank> = {
  // OBS-ORDER-RECENCY
  recency: ({ updated_at, number }) => [-updated_at, -number],
  // OBS-ORDER-RANK-KEYS: the digit of P0 to P3
  display_rank: ({ priority, severity, updated_at, number }) => [Number(priority[1]), -severity, -updated_at, -number],
  // OBS-ORDER-RESOLVED; OBS-ORDER-RESOLVED-OPEN: open ones come last, by recency
  resolved: ({ resolved_at, updated_at, number }) =>
    resolved_at === null ? [1, -updated_at, -number] : [0, -resolved_at, -number],
};

/** OBS-FILTER-SINCE: strictly after. In the order of recency that is the head of the list; in another order it is a list of its own. */
function narrowToSince(view: View<"observations">, order: Order, since: number): View<"observations"> {
  if (order === "recency") return { ...view, until: [-since, Number.NEGATIVE_INFINITY] };
  return {
    ...view,
    name: `${view.name} ${since}`,
    holds: (observation) => observation.updated_at > since && view.holds(observation),
  };
}

function testsOf(world: World, query: ObservationQuery): Test[] {
  const tests: Test[] = [];
  for (const field of ["kind", "status", "priority", "category", "domain", "close_reason"] as const) {
    if (query[field] !== undefined) tests.push((observation) => observation[field] === query[field]);
  }
  // OBS-LANE-EXCLUDED: an open fix PR takes it out of the open ones; OBS-LANE-HAS-FIX-PR: whatever else is asked
  if (query.status === "new") tests.push((observation) => !hasOpenFixPr(observation));
  // ADDR-SLUG-PARSE: two owners' equal slugs both match
  if (query.repo !== undefined) tests.push((observation) => world.repos[observation.repo]?.slug === query.repo);
  if (query.has_fix_pr !== undefined) tests.push((observation) => (observation.fix_pr !== null) === query.has_fix_pr);
  // OBS-FILTER-FLAG-CHOICE; asking for `false` asks for nothing
  if (query.easy_wins)
    tests.push((observation) => isOpenFinding(observation) && observation.easy_win && observation.priority !== "P3");
  if (query.needs_review) tests.push((observation) => isOpenFinding(observation) && observation.needs_review);
  return tests;
}

function isOpenFinding({ kind, status }: Observation): boolean {
  return kind === "finding" && status === "new";
}
