import type { ClauseId } from "../../src/contract/types.js";
import type { IncomingCall } from "../../src/service/call.js";
import type { Observation, World } from "../../src/service/world/world.js";
import { each, onTool, pairIn } from "./family.js";
import { type Around, type Mutant, onRoute, type Shown, withQuery, withRows } from "./mutant.js";

const list = "GET /api/observations";

type Query = Readonly<Record<string, string | undefined>>;

const filters: [clause: ClauseId, dimension: string][] = [
  ["OBS-FILTER-KIND", "kind filter"],
  ["OBS-FILTER-STATUS", "status filter"],
  ["OBS-FILTER-PRIORITY", "priority filter"],
  ["OBS-FILTER-CATEGORY", "category filter"],
  ["OBS-FILTER-CLOSEREASON", "close reason filter"],
  ["OBS-FILTER-DOMAIN", "domain filter"],
];

const states: Record<string, readonly unknown[]> = { open: ["in_review", "revising"], merged: ["merged"], closed: ["closed"] };
const forms: Record<string, RegExp> = { Z: /Z$/, "+hh:mm": /[+-]\d\d:?\d\d$/ };

/** Faults in one value of one filter, or in one filter beside others. */
export const filterMutants: Mutant[] = [
  ...filters.flatMap(([clause, dimension]) => [
    ...each(clause, dimension, "lists whatever there is for *", (pair) => without(pairIn(pair)[0], has(pair))),
    ...each(clause, dimension, "lists nothing for *", (pair) => listed(has(pair), () => [])),
    ...each(clause, dimension, "leaves the first row out for *", (pair) => listed(has(pair), (rows) => rows.slice(1))),
  ]),
  ...each("OBS-FILTER-CLOSEREASON-CLOSED", "close reason filter", "says new of what it lists for *", (pair) =>
    listed(
      (query) => has(pair)(query) && query.status === undefined,
      (rows) => rows.map((row) => ({ ...row, status: "new" })),
    ),
  ),
  ...each("OBS-FILTER-SINCE", "timestamp form", "does not look at a since that is written with *", (form) =>
    without("since", ({ since }) => forms[form]?.test(since ?? "") === true),
  ),
  ...each("OBS-FILTER-SINCE", "timestamp form", "lists nothing since a time that is written with *", (form) =>
    listed(
      ({ since }) => forms[form]?.test(since ?? "") === true,
      () => [],
    ),
  ),
  ...each("OBS-FILTER-SINCE-CHANGED", "change after since", "does not list since a time what was changed by *", (change) =>
    listed(
      ({ since }) => since !== undefined,
      (rows, world) => rows.filter(({ ref }) => !isChangedBy(change, world.observations[String(ref)])),
    ),
  ),
  ...each("OBS-FILTER-FIXPR-TRUE", "pull request state", "knows of no fix PR once it is *", (state) =>
    listed(
      ({ has_fix_pr }) => has_fix_pr === "true",
      (rows, world) => rows.filter(({ ref }) => !states[state]?.includes(world.observations[String(ref)]?.fix_pr?.status)),
    ),
  ),
  ...each("OBS-FILTER-COMBINE", "filter", "does not look at * beside another filter", (filter) =>
    without(filter, (query) => filtersIn(query).length > 1),
  ),
  ...each("OBS-FILTER-COMBINE", "filter", "does not look at * where top findings are asked for", (filter) =>
    without(filter, ({ order }) => order === "display_rank"),
  ),
  ...each("OBS-FILTER-COMBINE", "filter", "does not look at * where a close reason is asked for", (filter) =>
    ["close_reason", "needs_review"].includes(filter)
      ? undefined
      : without(filter, ({ close_reason }) => close_reason !== undefined),
  ),
  ...each("OBS-FILTER-COMBINE", "filter", "does not look at * among the closed", (filter) =>
    ["status", "easy_wins", "needs_review"].includes(filter) ? undefined : without(filter, ({ status }) => status === "closed"),
  ),
  ...each("OBS-FILTER-COMBINE", "filter", "looks at * alone where it is given", (filter) =>
    onRoute(list, (world, call, perform) => {
      const others = filtersIn(asked(call)).filter((one) => one !== filter);
      return perform(
        world,
        asked(call)[filter] === undefined ? call : withQuery(call, Object.fromEntries(others.map((one) => [one, undefined]))),
      );
    }),
  ),
  ...each("OBS-FILTER-COMBINE", "filter", "lists nothing where * is beside another filter", (filter) =>
    listed(
      (query) => query[filter] !== undefined && filtersIn(query).length > 1,
      () => [],
    ),
  ),
  ...each("OBS-FILTER-VALUE-OTHER", "enumerated filter", "does not look at a * that it does not know", (filter) =>
    onRoute(list, (world, call, perform) => {
      const reply = perform(world, call);
      return reply.status === 422 && asked(call)[filter] !== undefined
        ? perform(world, withQuery(call, { [filter]: undefined }))
        : reply;
    }),
  ),
  ...each("OBS-FILTER-VALUE-OTHER", "enumerated filter", "answers 400 to a * that it does not know", (filter) =>
    onRoute(list, (world, call, perform) => {
      const reply = perform(world, call);
      return reply.status === 422 && asked(call)[filter] !== undefined ? { ...reply, status: 400 } : reply;
    }),
  ),
  ...each("OBS-ORDER-RESOLVED", "close reason", "lists last by resolution what is *", (reason) =>
    listed(
      ({ order }) => order === "resolved",
      (rows) => [
        ...rows.filter(({ close_reason }) => close_reason !== reason),
        ...rows.filter(({ close_reason }) => close_reason === reason),
      ],
    ),
  ),
  ...each("MCP-TOOL-OBS-FILTERS", "filter", "does not filter by * by tool", {
    mcp: (filter) => byTool(({ [filter]: _, ...rest }) => rest),
  }),
  ...each("MCP-TOOL-OBS-FILTERS", "filter", "finds nothing by * by tool", {
    mcp: (filter) =>
      onTool("list_observations", (world, call, performTool) => {
        const reply = performTool(world, call);
        return call.arguments[filter] === undefined ? reply : withRows(reply, () => []);
      }),
  }),
  ...each("MCP-TOOL-OBS-SEARCH", "search", "finds every observation by tool for *", {
    mcp: (what) =>
      byTool(({ search, ...rest }) =>
        search !== undefined && what === searchIn(rest) ? rest : { ...rest, ...(search !== undefined && { search }) },
      ),
  }),
  ...each("MCP-TOOL-OBS-SEARCH", "search", "finds nothing by tool for *", {
    mcp: (what) =>
      onTool("list_observations", (world, call, performTool) => {
        const { search, ...rest } = call.arguments;
        const reply = performTool(world, call);
        return search !== undefined && what === searchIn(rest) ? withRows(reply, () => []) : reply;
      }),
  }),
];

function searchIn(given: Shown): string {
  return given.kind === undefined ? "search" : "search and kind";
}

/** Calls the listing tool with other arguments. */
function byTool(read: (given: Shown) => Shown) {
  return onTool("list_observations", (world, call, performTool) =>
    performTool(world, { ...call, arguments: read(call.arguments) }),
  );
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

function asked({ query }: IncomingCall): Query {
  return Object.fromEntries(Object.entries(query).map(([name, values]) => [name, values[0]]));
}

/** Lists as if one parameter were not there, where the query is meant. */
function without(parameter: string, isMeant: (query: Query) => boolean): Around {
  return onRoute(list, (world, call, perform) => {
    const query = asked(call);
    return perform(world, query[parameter] !== undefined && isMeant(query) ? withQuery(call, { [parameter]: undefined }) : call);
  });
}

/** Changes the rows of a list that was asked for in some way. */
function listed(isMeant: (query: Query) => boolean, change: (rows: Shown[], world: World) => Shown[]): Around {
  return onRoute(list, (world, call, perform) => {
    const reply = perform(world, call);
    return isMeant(asked(call)) ? withRows<Shown>(reply, (rows) => change(rows, world)) : reply;
  });
}
