import type { ClauseId } from "../../src/contract/types.js";
import type { Observation } from "../../src/service/world/world.js";
import { each, pairIn } from "./family.js";
import {
  bySlug,
  changingListIf,
  isOf,
  listingObservations,
  namesakesOf,
  observationsIn,
  omittingObservations,
  queryOf,
  withoutParameter,
} from "./helpers/observations.js";
import { observationsRoute } from "./helpers/routes.js";
import { type Around, answering, keyOf, type Mutant, onRoute, type Shown, withQuery, withRows } from "./mutant.js";

const nowhere = "no@where";

type Query = Readonly<Record<string, string | undefined>>;

const filters: [clause: ClauseId, dimension: string][] = [
  ["OBS-FILTER-KIND", "kind filter"],
  ["OBS-FILTER-STATUS", "status filter"],
  ["OBS-FILTER-PRIORITY", "priority filter"],
  ["OBS-FILTER-CATEGORY", "category filter"],
  ["OBS-FILTER-CLOSEREASON", "close reason filter"],
  ["OBS-FILTER-DOMAIN", "domain filter"],
];

const forms: Record<string, RegExp> = { Z: /Z$/, "+hh:mm": /[+-]\d\d:?\d\d$/ };

/** Mutants that break a clause of OBS-FILTER-*. */
export const observationFiltersMutants: Mutant[] = [
  {
    name: "lists nothing that the service dismissed among the dismissed",
    breaks: "OBS-FILTER-CLOSEREASON",
    around: listingObservations("close_reason", "dismissed", (row) => row.close_reason === "dismissed" && !isExhausted(row)),
  },
  {
    name: "lists nothing that the service dismissed among the closed",
    breaks: "OBS-FILTER-STATUS",
    around: listingObservations("status", "closed", (row) => row.status === "closed" && !isExhausted(row)),
  },
  {
    name: "lists nothing that has a ticket among the new",
    breaks: "OBS-FILTER-STATUS",
    around: omittingObservations("status", "new", ({ ticket_url }) => ticket_url !== null),
  },
  ...each("OBS-FILTER-REPO", "branch form", "finds no observations by a slug with *", (form) =>
    onRoute("GET /api/observations", (world, call, perform) =>
      perform(world, isOf(form, call.query.repo?.[0]) ? withQuery(call, { repo: nowhere }) : call),
    ),
  ),
  ...filters.flatMap(([clause, dimension]) => [
    ...each(clause, dimension, "lists whatever there is for *", (pair) => withoutParameterIf(pairIn(pair)[0], has(pair))),
    ...each(clause, dimension, "lists nothing for *", (pair) => changingListIf(has(pair), () => [])),
    ...each(clause, dimension, "leaves the first row out for *", (pair) => changingListIf(has(pair), (rows) => rows.slice(1))),
  ]),
  ...each("OBS-FILTER-CLOSEREASON-CLOSED", "close reason filter", "says new of what it lists for *", (pair) =>
    changingListIf(
      (query) => has(pair)(query) && query.status === undefined,
      (rows) => rows.map((row) => ({ ...row, status: "new" })),
    ),
  ),
  ...each("OBS-FILTER-SINCE", "timestamp form", "does not look at a since that is written with *", (form) =>
    withoutParameterIf("since", ({ since }) => forms[form]?.test(since ?? "") === true),
  ),
  ...each("OBS-FILTER-SINCE", "timestamp form", "lists nothing since a time that is written with *", (form) =>
    changingListIf(
      ({ since }) => forms[form]?.test(since ?? "") === true,
      () => [],
    ),
  ),
  ...each("OBS-FILTER-SINCE-CHANGED", "change after since", "does not list since a time what was changed by *", (change) =>
    changingListIf(
      ({ since }) => since !== undefined,
      (rows, world) => rows.filter(({ ref }) => !isChangedBy(change, world.observations[String(ref)])),
    ),
  ),
  ...each("OBS-FILTER-COMBINE", "filter", "does not look at * beside another filter", (filter) =>
    withoutParameterIf(filter, (query) => filtersIn(query).length > 1),
  ),
  ...each("OBS-FILTER-COMBINE", "filter", "does not look at * where top findings are asked for", (filter) =>
    withoutParameterIf(filter, ({ order }) => order === "display_rank"),
  ),
  ...each("OBS-FILTER-COMBINE", "filter", "does not look at * where a close reason is asked for", (filter) =>
    ["close_reason", "needs_review"].includes(filter)
      ? undefined
      : withoutParameterIf(filter, ({ close_reason }) => close_reason !== undefined),
  ),
  ...each("OBS-FILTER-COMBINE", "filter", "does not look at * among the closed", (filter) =>
    ["status", "easy_wins", "needs_review"].includes(filter)
      ? undefined
      : withoutParameterIf(filter, ({ status }) => status === "closed"),
  ),
  ...each("OBS-FILTER-COMBINE", "filter", "looks at * alone where it is given", (filter) =>
    onRoute(observationsRoute, (world, call, perform) => {
      const others = filtersIn(queryOf(call)).filter((one) => one !== filter);
      return perform(
        world,
        queryOf(call)[filter] === undefined ? call : withQuery(call, Object.fromEntries(others.map((one) => [one, undefined]))),
      );
    }),
  ),
  ...each("OBS-FILTER-COMBINE", "filter", "lists nothing where * is beside another filter", (filter) =>
    changingListIf(
      (query) => query[filter] !== undefined && filtersIn(query).length > 1,
      () => [],
    ),
  ),
  ...each("OBS-FILTER-VALUE-OTHER", "enumerated filter", "does not look at a * that it does not know", (filter) =>
    onRoute(observationsRoute, (world, call, perform) => {
      const reply = perform(world, call);
      return reply.status === 422 && queryOf(call)[filter] !== undefined
        ? perform(world, withQuery(call, { [filter]: undefined }))
        : reply;
    }),
  ),
  ...each("OBS-FILTER-VALUE-OTHER", "enumerated filter", "answers 400 to a * that it does not know", (filter) =>
    onRoute(observationsRoute, (world, call, perform) => {
      const reply = perform(world, call);
      return reply.status === 422 && queryOf(call)[filter] !== undefined ? { ...reply, status: 400 } : reply;
    }),
  ),
  ...each("OBS-FILTER-REPO", "namesake", "keeps observations of a repository by the same slug but for its *", (part) =>
    answering("GET /api/observations", (reply, world, call) =>
      withRows<Shown>(reply, (rows) => [
        ...rows,
        ...observationsIn(world, namesakesOf(world, bySlug(world, keyOf(world, call)?.workspace, call.query.repo?.[0]), part)),
      ]),
    ),
  ),
  { name: "lists whatever repository", breaks: "OBS-FILTER-REPO", around: withoutParameter("repo") },
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
  ...["kind", "status", "priority", "category", "close_reason", "domain", "order"].map(
    (filter): Mutant => ({
      name: `takes a value of ${filter} in capitals or small letters`,
      breaks: "OBS-FILTER-VALUE-OTHER",
      around: onRoute(observationsRoute, (world, call, perform) => {
        const value = call.query[filter]?.[0];
        return perform(
          world,
          value ? withQuery(call, { [filter]: filter === "priority" ? value.toUpperCase() : value.toLowerCase() }) : call,
        );
      }),
    }),
  ),
];

function isExhausted({ dismissal_category }: Observation): boolean {
  return dismissal_category === "exhausted_fix_attempts";
}

function has(pair: string): (query: Query) => boolean {
  const [name, value] = pairIn(pair);
  return (query) => query[name] === value;
}

function isChangedBy(change: string, row: Observation | undefined): boolean {
  if (change === "acknowledge") return row?.acknowledged_at === row?.updated_at;
  return row?.close_reason === "dismissed";
}

function filtersIn(query: Query): string[] {
  return Object.keys(query).filter(
    (name) => !["order", "include", "cursor", "limit"].includes(name) && query[name] !== undefined,
  );
}

/** Lists as if one parameter were not there, where the query is meant. */
function withoutParameterIf(parameter: string, isMeant: (query: Query) => boolean): Around {
  return onRoute(observationsRoute, (world, call, perform) => {
    const query = queryOf(call);
    return perform(world, query[parameter] !== undefined && isMeant(query) ? withQuery(call, { [parameter]: undefined }) : call);
  });
}
