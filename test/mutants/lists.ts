import type { IncomingCall, Reply } from "../../src/service/call.js";
import { changing, each } from "./family.js";
import { type Around, type Mutant, onRoute, routeOf, type Shown, withAnswer, withQuery, withRows } from "./mutant.js";

const observations = "GET /api/observations";

/** What a cursor was handed out for. */
interface Origin {
  route: string | null;
  query: Readonly<Record<string, string | undefined>>;
}

const origins = new Map<string, Origin>();

/** Faults in pages and in the cursors between them: one list, one place in a walk, one filter at a time. */
export const listMutants: Mutant[] = [
  ...each("PAGE-FIELD-TYPES", "list", "says in words whether there is more on *", (list) => onRoute(list, paged(wordy))),
  ...each("PAGE-FIELD-TYPES", "list", "answers an object for the rows of *", (list) =>
    onRoute(
      list,
      paged(({ data, ...page }) => ({ ...page, data: Object.fromEntries((data as Shown[]).map((row, at) => [at, row])) })),
    ),
  ),
  ...each("PAGE-FIELD-TYPES", "page position", "leaves next_cursor out of the * page", (position) =>
    at(position, ({ next_cursor: _, ...page }) => page),
  ),
  ...each("PAGE-LISTS-CURSOR", "list", "does not look at the cursor of *", (list) => onRoute(list, without("cursor"))),
  ...each("PAGE-LISTS-CURSOR", "list", "does not look at the limit of *", (list) => onRoute(list, without("limit"))),
  ...each("PAGE-LISTS-CURSOR", "list", "hands out no cursor for *", (list) =>
    onRoute(
      list,
      paged((page) => ({ ...page, next_cursor: null })),
    ),
  ),
  // no plan has room for so many repositories
  ...["49", "51"].flatMap((rows) =>
    each("PAGE-DEFAULT", "other list", `lists ${rows} rows of * unless told how many`, (list) =>
      list === "GET /api/repos" ? undefined : onRoute(list, defaulting(rows)),
    ),
  ),
  {
    name: "lists 101 observations unless told how many",
    breaks: "PAGE-DEFAULT-OBS",
    around: onRoute(observations, defaulting("101")),
  },
  {
    name: "lists 99 observations unless told how many",
    breaks: "PAGE-DEFAULT-OBS",
    around: onRoute(observations, defaulting("99")),
  },
  ...each("PAGE-MAX", "list", "takes no limit of 200 on *", (list) =>
    onRoute(
      list,
      limited((limit) => limit === 200, "201"),
    ),
  ),
  ...each("PAGE-LIMIT-OVER", "list", "cuts a limit above 200 down on *", (list) =>
    onRoute(
      list,
      limited((limit) => limit > 200, "200"),
    ),
  ),
  ...each("PAGE-LIMIT-NUMBER", "list", "ignores a limit that is no number on *", (list) =>
    onRoute(
      list,
      limited((limit) => Number.isNaN(limit), undefined),
    ),
  ),
  ...each("PAGE-LIMIT-HELD", "list", "answers a row more than the limit on *", (list) => onRoute(list, overfull)),
  ...each(
    "PAGE-LIMIT-HELD",
    "page position",
    "answers a row more than the limit on the * page",
    (position) => (world, call, perform) => {
      const reply = perform(world, call);
      return positionOf(call, reply) === position ? overfull(world, call, () => reply) : reply;
    },
  ),
  {
    name: "answers 50 rows whatever the limit",
    breaks: "PAGE-LIMIT-HELD",
    around: limited((limit) => limit < 50, "50"),
  },
  ...each("CURSOR-VERBATIM", "list", "gives the first page again on *", (list) => onRoute(list, without("cursor"))),
  ...each("CURSOR-VERBATIM", "list", "refuses the cursor that it has just handed out on *", (list) =>
    onRoute(list, (world, call, perform) =>
      perform(world, call.query.cursor ? withQuery(call, { cursor: `${call.query.cursor[0]}x` }) : call),
    ),
  ),
  ...each("CURSOR-MORE", "list", "says that nothing follows on *", (list) => onRoute(list, ahead({ has_more: false }))),
  ...each("CURSOR-MORE", "list", "numbers the cursors of *", (list) => onRoute(list, ahead({ next_cursor: 2 }))),
  ...each("CURSOR-MORE", "list", "says nothing of what follows on *", (list) => onRoute(list, ahead({ has_more: undefined }))),
  ...each("CURSOR-LAST", "list", "promises more on the last page of *", (list) => onRoute(list, atEnd({ has_more: true }))),
  ...each("CURSOR-LAST", "list", "hands out a cursor on the last page of *", (list) =>
    onRoute(list, atEnd({ next_cursor: "end" })),
  ),
  ...each("CURSOR-WALK", "list", "shows the first row of a later page of * twice", (list) =>
    onRoute(
      list,
      later(([row, ...rows]) => (row ? [row, row, ...rows] : [])),
    ),
  ),
  ...each("CURSOR-WALK", "list", "leaves the first row of a later page of * out", (list) =>
    onRoute(
      list,
      later((rows) => rows.slice(1)),
    ),
  ),
  ...each("CURSOR-WALK", "order", "leaves a row of a later page out where the list is asked for with *", (order) =>
    inOrder(
      order,
      later((rows) => rows.slice(1)),
    ),
  ),
  ...each("CURSOR-FORGED", "list", "starts over for a made-up cursor on *", (list) =>
    remembering((world, call, perform) => {
      const isForged = routeOf(call) === list && cursorOf(call) !== undefined && originOf(call) === undefined;
      return isForged ? without("cursor")(world, call, perform) : perform(world, call);
    }),
  ),
  {
    name: "finds a cursor in a damaged one",
    breaks: "CURSOR-FORGED",
    around: remembering((world, call, perform) => {
      const meant = [...origins.keys()].find((cursor) => cursorOf(call)?.includes(cursor));
      return perform(world, meant ? withQuery(call, { cursor: meant }) : call);
    }),
  },
  ...each("CURSOR-ENDPOINT", "list", "starts over for the cursor of another list on *", (list) =>
    remembering((world, call, perform) =>
      (routeOf(call) === list && isOfAnother(call) ? without("cursor") : unchanged)(world, call, perform),
    ),
  ),
  ...each("CURSOR-ENDPOINT", "list of the cursor", "starts over elsewhere for a cursor of *", (list) =>
    remembering((world, call, perform) =>
      (isOfAnother(call) && originOf(call)?.route === list ? without("cursor") : unchanged)(world, call, perform),
    ),
  ),
  {
    name: "answers 404 to the cursor of another list",
    breaks: "CURSOR-ENDPOINT",
    around: remembering(
      changing(
        ({ rule }, call) => rule.code === "invalid_cursor" && isOfAnother(call),
        (reply) => ({ ...reply, status: 404 }),
      ),
    ),
  },
  ...each("CURSOR-FILTERS", "bound parameter", "does not bind its cursors to *", (parameter) =>
    remembering((world, call, perform) =>
      perform(
        world,
        takenBack(call, (changed) => changed.length === 1 && changed[0] === parameter),
      ),
    ),
  ),
  ...each("CURSOR-FILTERS", "filter change", "takes a cursor where the filters are changed: *", (change) =>
    remembering((world, call, perform) =>
      perform(
        world,
        takenBack(call, (changed) => changed.every((name) => changeOf(call, name) === change)),
      ),
    ),
  ),
];

function unchanged(...[world, call, perform]: Parameters<Around>): ReturnType<Around> {
  return perform(world, call);
}

/** Does not look at one query parameter. */
function without(parameter: string): Around {
  return (world, call, perform) => perform(world, withQuery(call, { [parameter]: undefined }));
}

/** Lists so many where no limit is given. */
function defaulting(limit: string): Around {
  return (world, call, perform) => perform(world, call.query.limit ? call : withQuery(call, { limit }));
}

/** Reads some limits otherwise. */
function limited(isMeant: (limit: number) => boolean, read: string | undefined): Around {
  return (world, call, perform) => {
    const [limit] = call.query.limit ?? [];
    return perform(world, limit !== undefined && isMeant(Number(limit)) ? withQuery(call, { limit: read }) : call);
  };
}

/** Adds rows to a page until it holds one more than was asked for. */
function overfull(...[world, call, perform]: Parameters<Around>): ReturnType<Around> {
  const reply = perform(world, call);
  const limit = Number(call.query.limit?.[0]);
  if (!limit) return reply;
  return withRows<Shown>(reply, (rows) => {
    const more = Array.from({ length: limit + 1 - rows.length }, () => rows.at(-1) ?? {});
    return rows.length === 0 ? rows : [...rows, ...more];
  });
}

function paged(change: (page: Shown) => Shown): Around {
  return changing(isPage, (reply) => ({ ...reply, body: change(reply.body as Shown) }));
}

function wordy(page: Shown): Shown {
  return { ...page, has_more: page.has_more ? "yes" : "no" };
}

function at(position: string, change: (page: Shown) => Shown): Around {
  return changing(
    (reply, call) => positionOf(call, reply) === position,
    (reply) => ({ ...reply, body: change(reply.body as Shown) }),
  );
}

function isPage({ status, body }: Reply): boolean {
  return status === 200 && typeof body === "object" && body !== null && "has_more" in body && "data" in body;
}

function positionOf(call: IncomingCall, reply: Reply): string | undefined {
  if (!isPage(reply)) return undefined;
  if (call.query.cursor === undefined) return "first";
  return (reply.body as Shown).has_more ? "middle" : "last";
}

/** Says other things where more rows follow. */
function ahead(said: Shown): Around {
  return changing(
    (reply) => isPage(reply) && (reply.body as Shown).has_more === true,
    (reply) => withAnswer(reply, said),
  );
}

/** Says other things where none follow. */
function atEnd(said: Shown): Around {
  return changing(
    (reply) => isPage(reply) && (reply.body as Shown).has_more === false,
    (reply) => withAnswer(reply, said),
  );
}

/** Shows other rows on the pages behind the first. */
function later(change: (rows: unknown[]) => unknown[]): Around {
  return (world, call, perform) => (call.query.cursor ? withRows(perform(world, call), change) : perform(world, call));
}

function inOrder(order: string, around: Around): Around {
  return onRoute(observations, (world, call, perform) =>
    (`order=${call.query.order?.[0] ?? "recency"}` === order ? around : unchanged)(world, call, perform),
  );
}

function cursorOf({ query }: IncomingCall): string | undefined {
  return query.cursor?.[0];
}

function originOf(call: IncomingCall): Origin | undefined {
  return origins.get(cursorOf(call) ?? "");
}

function isOfAnother(call: IncomingCall): boolean {
  const origin = originOf(call);
  return origin !== undefined && origin.route !== routeOf(call);
}

/** Notes what the cursors that are handed out belong to. */
function remembering(around: Around): Around {
  return (world, call, perform) => {
    const reply = around(world, call, perform);
    const { next_cursor } = (reply.body ?? {}) as { next_cursor?: string | null };
    if (next_cursor && !origins.has(next_cursor)) origins.set(next_cursor, { route: routeOf(call), query: filtersOf(call) });
    return reply;
  };
}

function filtersOf({ query }: IncomingCall): Origin["query"] {
  const { cursor: _, limit: __, include: ___, ...filters } = query;
  return Object.fromEntries(Object.entries(filters).map(([name, values]) => [name, values[0]]));
}

/** The filters that are not those that the cursor was handed out for. */
function changedIn(call: IncomingCall): string[] {
  const [now, before] = [filtersOf(call), originOf(call)?.query ?? {}];
  return [...new Set([...Object.keys(now), ...Object.keys(before)])].filter((name) => now[name] !== before[name]);
}

function changeOf(call: IncomingCall, name: string): string {
  const [now, before] = [filtersOf(call)[name], originOf(call)?.query[name]];
  return before === undefined ? "one added" : now === undefined ? "one left out" : "another value";
}

/** The call with the filters that its cursor was handed out for, where what changed is meant. */
function takenBack(call: IncomingCall, isMeant: (changed: string[]) => boolean): IncomingCall {
  const origin = originOf(call);
  const changed = changedIn(call);
  if (origin?.route !== routeOf(call) || changed.length === 0 || !isMeant(changed)) return call;
  return withQuery(call, Object.fromEntries(changed.map((name) => [name, origin?.query[name]])));
}
