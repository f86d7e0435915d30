import type { IncomingCall, ServiceResponse } from "../../src/service/call.js";
import type { World } from "../../src/service/world/world.js";
import { changeMatchingResponses, mutantPerValue } from "./family.js";
import { ignoreParameter, isPage, performUnchanged } from "./helpers/observations.js";
import { observationsRoute, repoJobsRoute } from "./helpers/routes.js";
import {
  getRepo,
  getRoute,
  type Mutant,
  type Shown,
  type WrapCall,
  withQuery,
  withResponse,
  withRows,
  wrapRoute,
} from "./mutant.js";

/** The request that returned a cursor. */
interface Origin {
  route: string | null;
  query: Readonly<Record<string, string | undefined>>;
}

/** The number of rows before the page of each cursor. */
const counts = new Map<string, number>();

const origins = new Map<string, Origin>();

/** Mutants that break a clause of CURSOR-ENDPOINT-*, CURSOR-FILTERS-*, CURSOR-FORGED-*, CURSOR-LAST-*, CURSOR-MORE-*, CURSOR-VERBATIM-* or CURSOR-WALK-*. */
export const listCursorsMutants: Mutant[] = [
  {
    name: "keeps the newest 200 jobs of a repository in its list instead of all",
    breaks: "CURSOR-WALK",
    around: wrapRoute(repoJobsRoute, (world, call, perform) => {
      const repo = getRepo(world, call)?.id;
      const ownJobs = Object.values(world.jobs).filter((job) => job.repo === repo);
      const newest = new Set(ownJobs.slice(-200).map(({ id }) => id));
      return withRows<Shown>(perform(world, call), (rows) => rows.filter(({ id }) => newest.has(String(id))));
    }),
  },
  {
    name: "ends the list of observations after 1,000 rows instead of its last row",
    breaks: "CURSOR-WALK",
    around: wrapRoute(observationsRoute, (world, call, perform) => {
      const response = perform(world, call);
      const { data = [], next_cursor } = response.body as { data?: Shown[]; next_cursor?: string | null };
      const count = (counts.get(call.query.cursor?.[0] ?? "") ?? 0) + data.length;
      if (next_cursor) counts.set(next_cursor, count);
      return count < 1000 || !next_cursor ? response : withResponse(response, { next_cursor: null, has_more: false });
    }),
  },
  ...["GET /api/repos", "GET /api/jobs"].map(
    (route): Mutant => ({
      name: `answers that more follows a full last page instead of nothing, on ${route}`,
      breaks: "CURSOR-LAST",
      around: wrapRoute(route, (world, call, perform) => {
        const response = perform(world, call);
        const { data, has_more } = response.body as { data?: unknown[]; has_more?: boolean };
        return data && !has_more && String(data.length) === call.query.limit?.[0]
          ? { ...response, body: { data, next_cursor: "bW9yZQ", has_more: true } }
          : response;
      }),
    }),
  ),
  ...mutantPerValue("CURSOR-VERBATIM", "list", "answers the first page again on * instead of the next one", (list) =>
    wrapRoute(list, ignoreParameter("cursor")),
  ),
  ...mutantPerValue(
    "CURSOR-VERBATIM",
    "list",
    "refuses a cursor that it has just returned for * instead of accepting it",
    (list) =>
      wrapRoute(list, (world, call, perform) =>
        perform(world, call.query.cursor ? withQuery(call, { cursor: `${call.query.cursor[0]}x` }) : call),
      ),
  ),
  ...mutantPerValue("CURSOR-MORE", "list", "answers that nothing follows on * instead of has_more true", (list) =>
    wrapRoute(list, returnPageBeforeEnd({ has_more: false })),
  ),
  ...mutantPerValue("CURSOR-MORE", "list", "hands out numbers as cursors of * instead of strings", (list) =>
    wrapRoute(list, returnPageBeforeEnd({ next_cursor: 2 })),
  ),
  ...mutantPerValue("CURSOR-MORE", "list", "leaves has_more out on * instead of answering it", (list) =>
    wrapRoute(list, returnPageBeforeEnd({ has_more: undefined })),
  ),
  ...mutantPerValue("CURSOR-LAST", "list", "answers has_more on the last page of * instead of false", (list) =>
    wrapRoute(list, returnPageAtEnd({ has_more: true })),
  ),
  ...mutantPerValue("CURSOR-LAST", "list", "hands out a cursor on the last page of * instead of null", (list) =>
    wrapRoute(list, returnPageAtEnd({ next_cursor: "end" })),
  ),
  ...mutantPerValue("CURSOR-WALK", "list", "repeats the first row of a later page of * instead of showing it once", (list) =>
    wrapRoute(
      list,
      returnLater(([row, ...rows]) => (row ? [row, row, ...rows] : [])),
    ),
  ),
  ...mutantPerValue("CURSOR-WALK", "list", "leaves out the first row of a later page of * instead of showing it", (list) =>
    wrapRoute(
      list,
      returnLater((rows) => rows.slice(1)),
    ),
  ),
  ...mutantPerValue(
    "CURSOR-WALK",
    "order",
    "leaves out a row of a later page of a list requested with * instead of showing it",
    (order) =>
      inOrder(
        order,
        returnLater((rows) => rows.slice(1)),
      ),
  ),
  ...mutantPerValue("CURSOR-FORGED", "list", "restarts for an invented cursor on * instead of refusing it", (list) =>
    rememberRequests((world, call, perform) => {
      const isForged = getRoute(call) === list && getCursor(call) !== undefined && getOrigin(call) === undefined;
      return isForged ? ignoreParameter("cursor")(world, call, perform) : perform(world, call);
    }),
  ),
  {
    name: "accepts a damaged cursor instead of refusing it",
    breaks: "CURSOR-FORGED",
    around: rememberRequests((world, call, perform) => {
      const matchingCursor = [...origins.keys()].find((cursor) => getCursor(call)?.includes(cursor));
      return perform(world, matchingCursor ? withQuery(call, { cursor: matchingCursor }) : call);
    }),
  },
  ...mutantPerValue("CURSOR-ENDPOINT", "list", "restarts for the cursor of another list on * instead of refusing it", (list) =>
    rememberRequests((world, call, perform) =>
      (getRoute(call) === list && isOfAnother(call) ? ignoreParameter("cursor") : performUnchanged)(world, call, perform),
    ),
  ),
  ...mutantPerValue(
    "CURSOR-ENDPOINT",
    "list of the cursor",
    "restarts another list for a cursor of * instead of refusing it",
    (list) =>
      rememberRequests((world, call, perform) =>
        (isOfAnother(call) && getOrigin(call)?.route === list ? ignoreParameter("cursor") : performUnchanged)(
          world,
          call,
          perform,
        ),
      ),
  ),
  {
    name: "answers 404 to the cursor of another list instead of 400",
    breaks: "CURSOR-ENDPOINT",
    around: rememberRequests(
      changeMatchingResponses(
        ({ rule }, call) => rule.code === "invalid_cursor" && isOfAnother(call),
        (response) => ({ ...response, status: 404 }),
      ),
    ),
  },
  ...mutantPerValue(
    "CURSOR-FILTERS",
    "bound parameter",
    "ignores a changed * with a cursor instead of refusing it",
    (parameter) =>
      rememberRequests((world, call, perform) =>
        perform(
          world,
          isUndone(call, (changed) => changed.length === 1 && changed[0] === parameter),
        ),
      ),
  ),
  ...mutantPerValue(
    "CURSOR-FILTERS",
    "filter change",
    "accepts a cursor with changed filters (*) instead of refusing it",
    (change) =>
      rememberRequests((world, call, perform) =>
        perform(
          world,
          isUndone(call, (changed) => changed.every((name) => getChange(call, name) === change)),
        ),
      ),
  ),
  ...mutantPerValue("CURSOR-LAST", "page end", "answers has_more on a last page that is * instead of false", (end) =>
    changeMatchingResponses(
      (response, call) => getEnd(response, call) === end,
      (response) => withResponse(response, { has_more: true }),
    ),
  ),
  ...mutantPerValue("CURSOR-LAST", "page end", "hands out a cursor on a last page that is * instead of null", (end) =>
    changeMatchingResponses(
      (response, call) => getEnd(response, call) === end,
      (response) => withResponse(response, { next_cursor: "end" }),
    ),
  ),
  {
    name: "binds only the cursor of a first page to its filters instead of every cursor",
    breaks: "CURSOR-FILTERS",
    around: loosenCursor(observationsRoute),
  },
];

/** Serves the list that the cursor of a later page came from, and ignores the other query parameters. */
function loosenCursor(route: string): WrapCall {
  const returnLater = new WeakMap<World, Map<string, Parameters<WrapCall>[1]["query"]>>();
  return wrapRoute(route, (world, call, perform) => {
    const known = returnLater.get(world) ?? new Map();
    returnLater.set(world, known);
    const query = known.get(call.query.cursor?.[0] ?? "");
    const response = perform(world, query ? { ...call, query: { ...query, cursor: call.query.cursor ?? [] } } : call);
    const { next_cursor } = (response.body ?? {}) as { next_cursor?: string };
    if (next_cursor && call.query.cursor) known.set(next_cursor, query ?? call.query);
    return response;
  });
}

/** Changes the response if more rows follow. */
function returnPageBeforeEnd(page: Shown): WrapCall {
  return changeMatchingResponses(
    (response) => isPage(response) && (response.body as Shown).has_more === true,
    (response) => withResponse(response, page),
  );
}

/** Changes the response if no rows follow. */
function returnPageAtEnd(page: Shown): WrapCall {
  return changeMatchingResponses(
    (response) => isPage(response) && (response.body as Shown).has_more === false,
    (response) => withResponse(response, page),
  );
}

/** Changes the rows of the pages after the first. */
function returnLater(change: (rows: unknown[]) => unknown[]): WrapCall {
  return (world, call, perform) => (call.query.cursor ? withRows(perform(world, call), change) : perform(world, call));
}

function inOrder(order: string, around: WrapCall): WrapCall {
  return wrapRoute(observationsRoute, (world, call, perform) =>
    (`order=${call.query.order?.[0] ?? "recency"}` === order ? around : performUnchanged)(world, call, perform),
  );
}

function getCursor({ query }: IncomingCall): string | undefined {
  return query.cursor?.[0];
}

function getOrigin(call: IncomingCall): Origin | undefined {
  return origins.get(getCursor(call) ?? "");
}

function isOfAnother(call: IncomingCall): boolean {
  const origin = getOrigin(call);
  return origin !== undefined && origin.route !== getRoute(call);
}

/** Remembers the request of each returned cursor. */
function rememberRequests(around: WrapCall): WrapCall {
  return (world, call, perform) => {
    const response = around(world, call, perform);
    const { next_cursor } = (response.body ?? {}) as { next_cursor?: string | null };
    if (next_cursor && !origins.has(next_cursor)) origins.set(next_cursor, { route: getRoute(call), query: getFilters(call) });
    return response;
  };
}

function getFilters({ query }: IncomingCall): Origin["query"] {
  const { cursor: _, limit: __, include: ___, ...filters } = query;
  return Object.fromEntries(Object.entries(filters).map(([name, values]) => [name, values[0]]));
}

/** The filters that differ from those of the cursor. */
function changedFilters(call: IncomingCall): string[] {
  const [now, before] = [getFilters(call), getOrigin(call)?.query ?? {}];
  return [...new Set([...Object.keys(now), ...Object.keys(before)])].filter((name) => now[name] !== before[name]);
}

function getChange(call: IncomingCall, name: string): string {
  const [now, before] = [getFilters(call)[name], getOrigin(call)?.query[name]];
  return before === undefined ? "one added" : now === undefined ? "one left out" : "another value";
}

/** The call with the filters of its cursor, if the change is selected. */
function isUndone(call: IncomingCall, isMeant: (changed: string[]) => boolean): IncomingCall {
  const origin = getOrigin(call);
  const changed = changedFilters(call);
  if (origin?.route !== getRoute(call) || changed.length === 0 || !isMeant(changed)) return call;
  return withQuery(call, Object.fromEntries(changed.map((name) => [name, origin?.query[name]])));
}

function getEnd({ body }: ServiceResponse, { query }: IncomingCall): string | undefined {
  const { data, has_more } = (body ?? {}) as { data?: unknown[]; has_more?: boolean };
  if (!data || has_more !== false) return undefined;
  if (query.cursor) return "after a full page";
  if (data.length === 0) return "empty";
  return data.length === Number(query.limit?.[0]) ? "full" : "in part full";
}
