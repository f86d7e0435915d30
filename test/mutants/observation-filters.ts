import type { ClauseId } from "../../src/contract/types.js";
import { changeObservation } from "../../src/service/observations/observations.js";
import type { Observation } from "../../src/service/world/world.js";
import { mutantPerValue, pairIn } from "./family.js";
import {
  bySlug,
  changeListIf,
  getNamesakes,
  getQuery,
  hasSlugForm,
  ignoreListParameter,
  ignoreListParameterWhere,
  observationsIn,
  omitFromFilteredList,
  replaceFilteredList,
} from "./helpers/observations.js";
import { dismissRoute, observationRoute, observationsRoute } from "./helpers/routes.js";
import { changeResponses, getKey, getObservation, type Mutant, type Shown, withQuery, withRows, wrapRoute } from "./mutant.js";

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

/** Mutants that break a clause of OBS-DOMAIN-* or OBS-FILTER-*. */
export const observationFiltersMutants: Mutant[] = [
  {
    name: "leaves observations that the service dismissed out of close_reason=dismissed instead of listing them",
    breaks: "OBS-FILTER-CLOSEREASON",
    around: replaceFilteredList("close_reason", "dismissed", (row) => row.close_reason === "dismissed" && !isExhausted(row)),
  },
  {
    name: "leaves observations that the service dismissed out of status=closed instead of listing them",
    breaks: "OBS-FILTER-STATUS",
    around: replaceFilteredList("status", "closed", (row) => row.status === "closed" && !isExhausted(row)),
  },
  {
    name: "leaves observations with a ticket out of status=new instead of listing them",
    breaks: "OBS-FILTER-STATUS",
    around: omitFromFilteredList("status", "new", ({ ticket_url }) => ticket_url !== null),
  },
  ...mutantPerValue(
    "OBS-FILTER-REPO",
    "branch form",
    "finds no observations by a slug with * instead of those of that repository",
    (form) =>
      wrapRoute("GET /api/observations", (world, call, perform) =>
        perform(world, hasSlugForm(form, call.query.repo?.[0]) ? withQuery(call, { repo: nowhere }) : call),
      ),
  ),
  ...filters.flatMap(([clause, dimension]) => [
    ...mutantPerValue(clause, dimension, "ignores the filter * instead of applying it", (pair) =>
      ignoreListParameterWhere(pairIn(pair)[0], has(pair)),
    ),
    ...mutantPerValue(clause, dimension, "lists nothing for * instead of the matching observations", (pair) =>
      changeListIf(has(pair), () => []),
    ),
    ...mutantPerValue(clause, dimension, "leaves the first row out for * instead of listing it", (pair) =>
      changeListIf(has(pair), (rows) => rows.slice(1)),
    ),
  ]),
  ...mutantPerValue(
    "OBS-FILTER-CLOSEREASON-CLOSED",
    "close reason filter",
    "shows status new for every row of * instead of its own",
    (pair) =>
      changeListIf(
        (query) => has(pair)(query) && query.status === undefined,
        (rows) => rows.map((row) => ({ ...row, status: "new" })),
      ),
  ),
  ...mutantPerValue(
    "OBS-FILTER-SINCE",
    "timestamp form",
    "ignores a since that is written with * instead of applying it",
    (form) => ignoreListParameterWhere("since", ({ since }) => forms[form]?.test(since ?? "") === true),
  ),
  ...mutantPerValue(
    "OBS-FILTER-SINCE",
    "timestamp form",
    "lists nothing for a since that is written with * instead of later changes",
    (form) =>
      changeListIf(
        ({ since }) => forms[form]?.test(since ?? "") === true,
        () => [],
      ),
  ),
  ...mutantPerValue(
    "OBS-FILTER-SINCE-CHANGED",
    "change after since",
    "leaves observations changed by * out of a since list instead of listing them",
    (change) =>
      changeListIf(
        ({ since }) => since !== undefined,
        (rows, world) => rows.filter(({ ref }) => !isChangedBy(change, world.observations[String(ref)])),
      ),
  ),
  ...mutantPerValue("OBS-FILTER-COMBINE", "filter", "ignores * with another filter instead of applying both", (filter) =>
    ignoreListParameterWhere(filter, (query) => filtersIn(query).length > 1),
  ),
  ...mutantPerValue("OBS-FILTER-COMBINE", "filter", "ignores * with top_findings instead of applying both", (filter) =>
    ignoreListParameterWhere(filter, ({ order }) => order === "display_rank"),
  ),
  ...mutantPerValue("OBS-FILTER-COMBINE", "filter", "ignores * with close_reason instead of applying both", (filter) =>
    ["close_reason", "needs_review"].includes(filter)
      ? undefined
      : ignoreListParameterWhere(filter, ({ close_reason }) => close_reason !== undefined),
  ),
  ...mutantPerValue("OBS-FILTER-COMBINE", "filter", "ignores * with status=closed instead of applying both", (filter) =>
    ["status", "easy_wins", "needs_review"].includes(filter)
      ? undefined
      : ignoreListParameterWhere(filter, ({ status }) => status === "closed"),
  ),
  ...mutantPerValue("OBS-FILTER-COMBINE", "filter", "applies * alone instead of together with other filters", (filter) =>
    wrapRoute(observationsRoute, (world, call, perform) => {
      const others = filtersIn(getQuery(call)).filter((one) => one !== filter);
      return perform(
        world,
        getQuery(call)[filter] === undefined
          ? call
          : withQuery(call, Object.fromEntries(others.map((other) => [other, undefined]))),
      );
    }),
  ),
  ...mutantPerValue(
    "OBS-FILTER-COMBINE",
    "filter",
    "lists nothing for * with another filter instead of rows that match both",
    (filter) =>
      changeListIf(
        (query) => query[filter] !== undefined && filtersIn(query).length > 1,
        () => [],
      ),
  ),
  ...mutantPerValue("OBS-FILTER-VALUE-OTHER", "enumerated filter", "ignores an unknown * instead of refusing it", (filter) =>
    wrapRoute(observationsRoute, (world, call, perform) => {
      const response = perform(world, call);
      return response.status === 422 && getQuery(call)[filter] !== undefined
        ? perform(world, withQuery(call, { [filter]: undefined }))
        : response;
    }),
  ),
  ...mutantPerValue("OBS-FILTER-VALUE-OTHER", "enumerated filter", "answers 400 to an unknown * instead of 422", (filter) =>
    wrapRoute(observationsRoute, (world, call, perform) => {
      const response = perform(world, call);
      return response.status === 422 && getQuery(call)[filter] !== undefined ? { ...response, status: 400 } : response;
    }),
  ),
  ...mutantPerValue(
    "OBS-FILTER-REPO",
    "namesake",
    "includes observations of a repository whose slug differs only in its * instead of one repository's",
    (part) =>
      changeResponses("GET /api/observations", (response, world, call) =>
        withRows<Shown>(response, (rows) => [
          ...rows,
          ...observationsIn(
            world,
            getNamesakes(world, bySlug(world, getKey(world, call)?.workspace, call.query.repo?.[0]), part),
          ),
        ]),
      ),
  ),
  ...(["startsWith", "endsWith"] as const).map(
    (has): Mutant => ({
      name: `includes observations of a repository whose slug ${has === "startsWith" ? "begins" : "ends"} with the requested one instead of one repository's`,
      breaks: "OBS-FILTER-REPO",
      around: changeResponses("GET /api/observations", (reply, world, call) => {
        const slug = call.query.repo?.[0];
        const longer = Object.values(world.repos).filter(
          (repo) => slug !== undefined && repo.slug !== slug && repo.slug[has](slug),
        );
        return withRows<Shown>(reply, (rows) => [
          ...rows,
          ...observationsIn(
            world,
            longer.map(({ id }) => id),
          ),
        ]);
      }),
    }),
  ),
  {
    name: "lists the category security for the domain of that name instead of the domain",
    breaks: "OBS-DOMAIN-AXIS",
    around: wrapRoute(observationsRoute, (world, call, perform) =>
      perform(world, getQuery(call).domain === "security" ? withQuery(call, { domain: undefined, category: "security" }) : call),
    ),
  },
  {
    name: "ignores the domain beside a category instead of applying both",
    breaks: "OBS-DOMAIN-AXIS",
    around: ignoreListParameterWhere("domain", ({ category }) => category !== undefined),
  },
  {
    name: "ignores the repository filter instead of applying it",
    breaks: "OBS-FILTER-REPO",
    around: ignoreListParameter("repo"),
  },
  {
    name: "ignores since with an order instead of applying both",
    breaks: "OBS-FILTER-SINCE",
    around: wrapRoute("GET /api/observations", (world, call, perform) =>
      perform(world, call.query.order?.[0] === "resolved" ? withQuery(call, { since: undefined }) : call),
    ),
  },
  ...[
    { request: "a read", route: observationRoute },
    { request: "a refused dismissal", route: dismissRoute },
  ].map(
    ({ request, route }): Mutant => ({
      name: `counts ${request} as an update of the observation instead of leaving it alone`,
      breaks: "OBS-FILTER-SINCE",
      around: wrapRoute(route, (world, call, perform) => {
        const response = perform(world, call);
        const row = getObservation(world, call);
        if (row && (response.status === 200) === (route === observationRoute)) changeObservation(world, row, {});
        return response;
      }),
    }),
  ),
  {
    name: "compares only the minute of since instead of the exact time",
    breaks: "OBS-FILTER-SINCE",
    around: wrapRoute("GET /api/observations", (world, call, perform) => {
      const since = call.query.since?.[0] ?? "";
      return perform(world, since.endsWith("Z") ? withQuery(call, { since: `${since.slice(0, 16)}:00Z` }) : call);
    }),
  },
  {
    name: "lists everything for an unknown repository instead of nothing",
    breaks: "OBS-FILTER-REPO",
    around: wrapRoute("GET /api/observations", (world, call, perform) => {
      const slug = call.query.repo?.[0];
      const isKnown = Object.values(world.repos).some((repo) => repo.slug === slug);
      return perform(world, isKnown ? call : withQuery(call, { repo: undefined }));
    }),
  },
  ...["kind", "status", "priority", "category", "close_reason", "domain", "order"].map(
    (filter): Mutant => ({
      name: `accepts a value of ${filter} in another letter case instead of refusing it`,
      breaks: "OBS-FILTER-VALUE-OTHER",
      around: wrapRoute(observationsRoute, (world, call, perform) => {
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
