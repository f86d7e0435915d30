import type { SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { saveSince } from "../laws/lists/listing.js";
import { type Filters, omitFilters, type Query, readList } from "../laws/lists/queries.js";
import { describeRequest } from "../laws/lists/reading-failures.js";
import { createFailure, createInconclusive } from "../laws/outcome.js";
import { readResponseErrorCode } from "../response-rules.js";
import { findListStatement, type ListName, lists } from "../statements/lists.js";
import { workflowsOnEveryPlan } from "../statements/workflows.js";
import { combinePoints, type FilterPoint, filterPoints, namePoint } from "./filter-points.js";
import { createTableProperty, type PairRow, type RowOutcome } from "./pair-table.js";

/** A cursor of one query that is sent with another query. */
interface Carry extends PairRow {
  from: Query;
  to: Query;
  clause: string;
}

const [FILTERS, ENDPOINT, FORGED] = ["CURSOR-FILTERS", "CURSOR-ENDPOINT", "CURSOR-FORGED"] as const;
const INVENTED_CURSOR = "no-cursor-of-this-server";
type Change = "another value" | "one added" | "one left out";

const createObservationQuery = (filters: Filters): Query => ({ list: "observations", filters });
const createJobQuery = (filters: Filters): Query => ({ list: "repository jobs", filters });

function carry(name: string, from: Query, to: Query, bound: { parameter: string; change: Change }): Carry {
  const covers = { "bound parameter": bound.parameter, "filter change": bound.change };
  return { name: `${name}, ${bound.change}`, from, to, clause: FILTERS, judges: [{ clause: FILTERS, surface: "rest", covers }] };
}

/** Every filter with its first value: added to no filter, removed, replaced by another value, and added to each other filter. */
const filterCarries: readonly Carry[] = pickFirstOfEach(filterPoints).flatMap((point): Carry[] => {
  const own = combinePoints(point);
  if (!own) return [];
  const name = namePoint(point);
  const rest = Object.fromEntries(Object.entries(own).filter(([filter]) => filter !== point.filter));
  const otherFilterPoints = filterPoints.filter(({ filter, value }) => filter === point.filter && value !== point.value);
  const bound = (change: Change) => ({ parameter: point.filter, change });
  const unchangedCarries = pickFirstOfEach(filterPoints).flatMap((otherFilterPoint): Carry[] => {
    const both = otherFilterPoint.filter === point.filter ? undefined : combinePoints(otherFilterPoint, point);
    const from = both && omitFilters(both, (name) => name === point.filter);
    return both && from && Object.keys(from).length > 0
      ? [
          carry(
            `${name} beside ${namePoint(otherFilterPoint)}`,
            createObservationQuery(from),
            createObservationQuery(both),
            bound("one added"),
          ),
        ]
      : [];
  });
  return [
    carry(name, createObservationQuery(rest), createObservationQuery(own), bound("one added")),
    carry(name, createObservationQuery(own), createObservationQuery(rest), bound("one left out")),
    ...otherFilterPoints.map((otherFilterPoint) =>
      carry(
        `${name} for ${namePoint(otherFilterPoint)}`,
        createObservationQuery(own),
        createObservationQuery({ ...own, ...combinePoints(otherFilterPoint) }),
        bound("another value"),
      ),
    ),
    ...unchangedCarries,
  ];
});

const [ONE = "", OTHER = ""] = workflowsOnEveryPlan;
const jobCarries: readonly Carry[] = [
  carry("workflow of jobs", createJobQuery({}), createJobQuery({ workflow: ONE }), {
    parameter: "workflow",
    change: "one added",
  }),
  carry("workflow of jobs", createJobQuery({ workflow: ONE }), createJobQuery({}), {
    parameter: "workflow",
    change: "one left out",
  }),
  carry("workflow of jobs", createJobQuery({ workflow: ONE }), createJobQuery({ workflow: OTHER }), {
    parameter: "workflow",
    change: "another value",
  }),
];

const listNames = Object.keys(lists) as ListName[];
/** Every list with every other list. */
const listCarries: readonly Carry[] = listNames.flatMap((from) =>
  listNames
    .filter((to) => to !== from)
    .map((to): Carry => {
      const covers = { list: findListStatement(to).route, "list of the cursor": findListStatement(from).route };
      const judges = [{ clause: ENDPOINT, surface: "rest", covers }];
      return {
        name: `${from} on ${to}`,
        from: { list: from, filters: {} },
        to: { list: to, filters: {} },
        clause: ENDPOINT,
        judges,
      };
    }),
);

/** Every list with a cursor that no server issued. */
const inventedCarries: readonly Carry[] = listNames.map((list) => {
  const query: Query = { list, filters: {} };
  const judges = [{ clause: FORGED, surface: "rest", covers: { list: findListStatement(list).route } }];
  return { name: `an invented cursor on ${list}`, from: query, to: query, clause: FORGED, judges };
});

/** CURSOR-FILTERS, CURSOR-ENDPOINT: a cursor is bound to each filter of its walk, and to its list. */
export const cursorPairs = createTableProperty<Carry, ReadonlyMap<string, Cursor>>({
  id: "pairs-of-cursor-and-change",
  title: "The server refuses a cursor when any filter is changed, added or removed, and on every other list",
  kind: "pairs of cursor and change",
  needs: [],
  effects: ["read"],
  proves: [FILTERS, ENDPOINT, FORGED],
  rows: [...filterCarries, ...jobCarries, ...listCarries, ...inventedCarries],
  async open(sut) {
    await saveSince(sut, createObservationQuery({}), 3);
    return { ok: true, context: new Map() };
  },
  tryRow: tryCarry,
});

/** The cursor after a first page, or why there is none. */
type Cursor = { ok: true; name: string; first: Step; before: readonly Step[] } | { ok: false; why: string };

async function tryCarry(
  sut: SystemUnderTest,
  knownCursors: ReadonlyMap<string, Cursor>,
  { from, to, clause }: Carry,
): Promise<RowOutcome> {
  if ([from, to].some(({ filters }) => filters.repo === "{slug2}") && !sut.offers("repos.2"))
    return createInconclusive("the target has no second repository");
  if (clause === FORGED) return tryInventedCursor(sut, to);
  const cursor = await readCursor(sut, knownCursors as Map<string, Cursor>, from);
  if (!cursor.ok) return createInconclusive(cursor.why);
  const step = readList(to, { limit: 1, cursor: `{${cursor.name}}` }, false);
  const stepResult = await sut.send(step);
  if (!stepResult.ok) return createInconclusive(stepResult.why);
  if (stepResult.response.status === 400 && readResponseErrorCode(stepResult.response) === "invalid_cursor")
    return { verdict: "passed", judged: true };
  return createFailure([clause], `${describeRequest(step)} accepts the cursor of ${describeRequest(cursor.first)}`, [
    ...cursor.before,
    cursor.first,
    { ...step, expect: { status: 400, error: { type: "invalid_request_error", code: "invalid_cursor" } } },
  ]);
}

async function tryInventedCursor(sut: SystemUnderTest, query: Query): Promise<RowOutcome> {
  const step = readList(query, { limit: 1, cursor: INVENTED_CURSOR }, false);
  const stepResult = await sut.send(step);
  if (!stepResult.ok) return createInconclusive(stepResult.why);
  const { status } = stepResult.response;
  if (status >= 400 && status < 500) return { verdict: "passed", judged: true };
  return createFailure([FORGED], `${describeRequest(step)} returned status ${status}`, [{ ...step, expect: { status: "4xx" } }]);
}

/** Returns the cursor of a query, after the server has accepted it for that query. */
async function readCursor(sut: SystemUnderTest, knownCursors: Map<string, Cursor>, from: Query): Promise<Cursor> {
  const key = JSON.stringify(from);
  const cursor = knownCursors.get(key) ?? (await openWalk(sut, from, `cursor${knownCursors.size}`));
  knownCursors.set(key, cursor);
  return cursor;
}

async function openWalk(sut: SystemUnderTest, from: Query, name: string): Promise<Cursor> {
  const first: Step = { ...readList(from, { limit: 1 }, false), save: { [name]: "/next_cursor" } };
  if ("since" in from.filters && sut.lookup("since") === undefined) return { ok: false, why: "no row shows a time" };
  const stepResult = await sut.send(first);
  if (!stepResult.ok) return stepResult;
  if (typeof sut.lookup(name) !== "string") return { ok: false, why: `${describeRequest(first)} has one page only` };
  const nextPageResult = await sut.send(readList(from, { limit: 1, cursor: `{${name}}` }, false));
  if (!nextPageResult.ok) return nextPageResult;
  if (nextPageResult.response.status !== 200) return { ok: false, why: "the server refuses the cursor in its own walk" };
  const stepsBefore = sut.steps.filter(({ save }) => save?.since !== undefined).slice(0, 1);
  return { ok: true, name, first, before: stepsBefore };
}

function pickFirstOfEach(points: readonly FilterPoint[]): FilterPoint[] {
  return points.filter(
    ({ filter }, index) => points.findIndex((otherFilterPoint) => otherFilterPoint.filter === filter) === index,
  );
}
