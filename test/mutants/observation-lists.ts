import type { Observation } from "../../src/service/world/world.js";
import { each } from "./family.js";
import { type Around, type Mutant, onRoute, routeOf, withQuery, withRows } from "./mutant.js";

type Row = Record<string, unknown> & Pick<Observation, "status" | "priority" | "fix_pr"> & { ref: string };
type Query = Readonly<Record<string, string | undefined>>;

/** Faults in which observations are listed, and in what order. */
export const observationListMutants: Mutant[] = [
  { name: "lists whatever repository", breaks: "OBS-FILTER-REPO", around: without("repo") },
  {
    name: "lists fix PRs where none are asked for",
    breaks: "OBS-FILTER-FIXPR-FALSE",
    around: withoutIf("has_fix_pr", ({ has_fix_pr }) => has_fix_pr === "false"),
  },
  { name: "lists closed observations as easy wins", breaks: "OBS-FILTER-EASYWINS", around: without("easy_wins") },
  ...each("OBS-FILTER-EASYWINS", "close reason", "lists an easy win still that is closed as *", (reason) => stillWinning(reason)),
  {
    name: "lists P3 as easy wins",
    breaks: "OBS-FILTER-EASYWINS-PRIORITY",
    around: insteadOf("easy_wins", { kind: "finding", status: "new" }),
  },
  { name: "lists every open finding for review", breaks: "OBS-FILTER-REVIEW-ONLY", around: without("needs_review") },
  {
    name: "lists nothing for review",
    breaks: "OBS-FILTER-REVIEW",
    around: listed(
      ({ needs_review }) => needs_review === "true",
      () => [],
    ),
  },
  {
    name: "lists by rank where no order is asked for",
    breaks: "OBS-ORDER-DEFAULT",
    around: insteadOf("order", { order: "display_rank" }, ({ order }) => order === undefined),
  },
  {
    name: "leaves P3 out of the top findings",
    breaks: "OBS-ORDER-RANK-SET",
    around: listed(
      ({ order }) => order === "display_rank",
      (rows) => rows.filter(({ priority }) => priority !== "P3"),
    ),
  },
  {
    name: "lists what was resolved by its last touch",
    breaks: "OBS-ORDER-RESOLVED",
    around: insteadOf("order", { order: "recency" }, ({ order }) => order === "resolved"),
  },
  {
    name: "places by its acknowledgement what was acknowledged before it was closed",
    breaks: "OBS-ORDER-RESOLVED",
    around: resolvedBy(({ acknowledged_at, resolved_at }) => acknowledged_at ?? resolved_at ?? 0),
  },
  {
    name: "places last by resolution what has a ticket",
    breaks: "OBS-ORDER-RESOLVED",
    around: resolvedBy(({ ticket_url, resolved_at }) => (ticket_url === null ? (resolved_at ?? 0) : 0)),
  },
  {
    name: "lists what is in the fix lane among the new",
    breaks: "OBS-LANE-EXCLUDED",
    around: newIgnoringLane(({ has_fix_pr }) => has_fix_pr === undefined),
  },
  {
    name: "lists what is in the fix lane among the new when fix PRs are asked for",
    breaks: "OBS-LANE-HAS-FIX-PR",
    around: newIgnoringLane(({ has_fix_pr }) => has_fix_pr === "true"),
  },
  {
    name: "keeps what a PR left unmerged out of the new",
    breaks: "OBS-FIX-UNMERGED",
    around: listed(
      ({ status }) => status === "new",
      (rows) => rows.filter(({ fix_pr }) => fix_pr?.status !== "closed"),
    ),
  },
  {
    name: "keeps what is being fixed out of the new before there is a PR",
    breaks: "OBS-FIX-LISTED-BEFORE-PR",
    around: (world, call, perform) =>
      call.query.status?.[0] === "new"
        ? withRows<Row>(perform(world, call), (rows) => rows.filter(({ ref }) => !world.observations[ref]?.attempt))
        : perform(world, call),
  },
  {
    name: "does not look at since where an order is asked for",
    breaks: "OBS-FILTER-SINCE",
    around: onRoute("GET /api/observations", (world, call, perform) =>
      perform(world, call.query.order?.[0] === "resolved" ? withQuery(call, { since: undefined }) : call),
    ),
  },
  {
    name: "looks at the minute of since alone",
    breaks: "OBS-FILTER-SINCE",
    around: onRoute("GET /api/observations", (world, call, perform) => {
      const since = call.query.since?.[0] ?? "";
      return perform(world, since.endsWith("Z") ? withQuery(call, { since: `${since.slice(0, 16)}:00Z` }) : call);
    }),
  },
  {
    name: "lists everything for a repository that is not there",
    breaks: "OBS-FILTER-REPO",
    around: onRoute("GET /api/observations", (world, call, perform) => {
      const slug = call.query.repo?.[0];
      const isKnown = Object.values(world.repos).some((repo) => repo.slug === slug);
      return perform(world, isKnown ? call : withQuery(call, { repo: undefined }));
    }),
  },
];

function without(parameter: string): Around {
  return withoutIf(parameter, () => true);
}

function withoutIf(parameter: string, holds: (query: Query) => boolean): Around {
  return insteadOf(parameter, {}, (query) => query[parameter] !== undefined && holds(query));
}

/** Lists as if something else had been asked than one parameter. */
function insteadOf(parameter: string, other: Query, holds = (query: Query): boolean => query[parameter] !== undefined): Around {
  return (world, call, perform) => {
    const meant = isList(call) && holds(asked(call));
    return perform(world, meant ? withQuery(call, { [parameter]: undefined, ...other }) : call);
  };
}

/** Changes the rows of a list that was asked for in some way. */
function listed(holds: (query: Query) => boolean, change: (rows: Row[]) => Row[]): Around {
  return (world, call, perform) => {
    const reply = perform(world, call);
    return isList(call) && holds(asked(call)) ? withRows(reply, change) : reply;
  };
}

/** Lists every new observation, those with an open fix PR too. */
function newIgnoringLane(holds: (query: Query) => boolean): Around {
  return (world, call, perform) => {
    if (!isList(call) || asked(call).status !== "new" || !holds(asked(call))) return perform(world, call);
    return withRows<Row>(perform(world, withQuery(call, { status: undefined })), (rows) =>
      rows.filter(({ status }) => status === "new"),
    );
  };
}

function isList(call: Parameters<typeof routeOf>[0]): boolean {
  return routeOf(call) === "GET /api/observations";
}

function asked({ query }: Parameters<Around>[1]): Query {
  return Object.fromEntries(Object.entries(query).map(([name, values]) => [name, values[0]]));
}

/** Keeps among the easy wins those that were closed for one reason. */
function stillWinning(reason: string): Around {
  return (world, call, perform) => {
    const reply = perform(world, call);
    const { easy_wins, status, cursor } = call.query;
    if (easy_wins?.[0] !== "true" || status?.[0] === "new" || cursor) return reply;
    const closed = perform(world, withQuery(call, { easy_wins: undefined, status: undefined, close_reason: reason }));
    const { data = [] } = (closed.body ?? {}) as { data?: Row[] };
    return withRows<Row>(reply, (rows) => [...rows, ...data.filter(({ ref }) => world.observations[ref]?.easy_win)]);
  };
}

/** What is listed by resolution, placed by another moment. */
function resolvedBy(moment: (row: Observation) => number): Around {
  return (world, call, perform) => {
    const reply = perform(world, call);
    if (!isList(call) || asked(call).order !== "resolved") return reply;
    const momentOf = ({ ref }: Row) => moment(world.observations[ref] as Observation);
    return withRows<Row>(reply, (rows) => rows.toSorted((a, b) => momentOf(b) - momentOf(a)));
  };
}
