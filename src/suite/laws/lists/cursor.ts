import fc, { type Arbitrary } from "fast-check";
import type { WireResponse } from "../../../engine/http/exchange.js";
import type {
  CaseOutcome,
  DrawContext,
  Failure,
  JudgedPoint,
  Property,
  SystemUnderTest,
} from "../../../engine/property/property.js";
import type { Row, Step } from "../../../engine/scenario/format.js";
import { readResponseErrorCode } from "../../response-rules.js";
import { findListStatement, findObservationParameter, type ListName, lists } from "../../statements/lists.js";
import { createFailure, createInconclusive } from "../outcome.js";
import { listKeys, readListRows } from "./listing.js";
import { drawFilters, type Filters, omitFilters, pickConformingFilters, type Query, readList } from "./queries.js";
import { describeRequest } from "./reading-failures.js";

/** A cursor of a list, and invalid uses of it. */
interface Case {
  query: Query;
  limit: number;
  uses: InvalidUse[];
}

/** An invalid use: with other filters, on another endpoint, or with one character replaced. */
type InvalidUse =
  | { kind: "filters"; filters: Filters }
  | { kind: "endpoint"; list: ListName }
  | { kind: "damage"; place: number; character: string };

const CLAUSE = { filters: "CURSOR-FILTERS", endpoint: "CURSOR-ENDPOINT", damage: "CURSOR-FORGED" };

const ROUTES = (Object.keys(lists) as ListName[]).map((list) => findListStatement(list).route);

/**
 * Returns whether a cursor may be independent of a parameter. The contract does not state whether `limit`, `order`, `include` or the repository bind
 * a cursor.
 */
function mayBeUnbound(name: string): boolean {
  const { kind = "filter" } = findObservationParameter(name);
  return kind !== "filter";
}

/** CURSOR-FILTERS, CURSOR-ENDPOINT, CURSOR-FORGED: a cursor continues only the walk that it came from. */
export const cursorBinding: Property<Case> = {
  id: "cursor-binding",
  title: "The server refuses a cursor with other filters, on another list, or with a changed character",
  proves: Object.values(CLAUSE),
  needs: [],
  effects: ["read"],
  covers: {
    "CURSOR-ENDPOINT": { rest: { list: ROUTES, "list of the cursor": ROUTES } },
    "CURSOR-FORGED": { rest: { list: ROUTES } },
  },
  runs: 40,
  cases: (context: DrawContext) =>
    fc.record({
      query: drawBroad(context),
      limit: fc.integer({ min: 1, max: 3 }),
      uses: fc.array(drawInvalidUse(context), { minLength: 1, maxLength: 16 }),
    }),
  run: runCase,
};

/** Draws a list with few filters, so that a second page is likely. */
function drawBroad(context: DrawContext): Arbitrary<Query> {
  const others = fc.constantFrom<Query>(
    { list: "jobs", filters: {} },
    { list: "repository jobs", filters: {} },
    { list: "repository jobs", filters: { workflow: "audit" } },
    { list: "repositories", filters: {} },
  );
  const observations = drawFilters(context, 2).map((filters): Query => ({ list: "observations", filters }));
  return fc.oneof({ arbitrary: observations, weight: 4 }, { arbitrary: others, weight: 1 });
}

function drawInvalidUse(context: DrawContext): Arbitrary<InvalidUse> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("filters" as const), filters: drawFilters(context, 2) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("endpoint" as const),
        list: fc.constantFrom(...(Object.keys(lists) as ListName[])),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("damage" as const),
        place: fc.nat(199),
        character: fc.constantFrom("!", "~", "*"),
      }),
    },
  );
}

async function runCase(sut: SystemUnderTest, { query, limit, uses }: Case): Promise<CaseOutcome> {
  const first: Step = { ...readList(query, { limit }, false), save: { cursor: "/next_cursor" } };
  const stepResult = await sut.send(first);
  if (!stepResult.ok) return createInconclusive(stepResult.why);
  const cursor = sut.lookup("cursor");
  if (typeof cursor !== "string" || cursor === "") return createInconclusive("the list has one page only");
  const continued = await sut.send(readList(query, { limit, cursor: "{cursor}" }, false));
  if (!continued.ok || continued.response.status !== 200)
    return createInconclusive("the server refuses the cursor in its own walk");
  const judgedPoints: JudgedPoint[] = [];
  for (const use of uses) {
    const step = createMisuseStep(query, limit, cursor, use);
    if (!step) continue;
    const sent = await sut.send(step);
    if (!sent.ok) return createInconclusive(sent.why);
    if (!isRefused(query.list, use, sent.response, continued.response))
      return createMisuseFailure(use, { first, step, list: query.list, continued: continued.response });
    judgedPoints.push(createPoint(use, query.list));
  }
  return judgedPoints.length > 0
    ? { verdict: "passed", subjects: judgedPoints.length, judged: judgedPoints }
    : createInconclusive("every drawn use of the cursor is valid");
}

/** Returns the point that a refusal judges: the list of the request, and the list of the cursor. */
function createPoint(use: InvalidUse, list: ListName): JudgedPoint {
  const { route } = findListStatement(list);
  const requested = use.kind === "endpoint" ? findListStatement(use.list).route : route;
  const covers = { list: requested, ...(use.kind === "endpoint" && { "list of the cursor": route }) };
  return { clause: CLAUSE[use.kind], surface: "rest", covers };
}

/** Returns the request that misuses the cursor; undefined when the use is valid or the contract does not state the result. */
function createMisuseStep(query: Query, limit: number, cursor: string, use: InvalidUse): Step | undefined {
  switch (use.kind) {
    case "filters":
      if (query.list !== "observations" && query.list !== "repository jobs") return undefined;
      return bindsDifferently(query, use.filters)
        ? readList({ list: query.list, filters: changeFilters(query, use.filters) }, { limit, cursor: "{cursor}" }, false)
        : undefined;
    case "endpoint":
      return use.list === query.list
        ? undefined
        : readList({ list: use.list, filters: {} }, { limit, cursor: "{cursor}" }, false);
    case "damage":
      // Rows of repositories have no key, so two pages look the same.
      return query.list === "repositories" ? undefined : readList(query, { limit, ...damageCursor(cursor, use) }, false);
    default:
      return use satisfies never;
  }
}

/** Returns the filters of the invalid use: the drawn filters, with the order and include of the cursor's own walk. */
function changeFilters({ list, filters }: Query, drawn: Filters): Filters {
  if (list === "repository jobs") return filters.workflow === "audit" ? { workflow: "standard_audit" } : { workflow: "audit" };
  return { ...pickConformingFilters(pickBinding(drawn)), ...omitFilters(filters, (name) => !mayBeUnbound(name)) };
}

function bindsDifferently(query: Query, drawn: Filters): boolean {
  const [own, other] = [pickBinding(query.filters), pickBinding(changeFilters(query, drawn))].map((filters) =>
    JSON.stringify(Object.entries(filters).sort()),
  );
  return (
    own !== other && !implies(query.filters, changeFilters(query, drawn)) && !implies(changeFilters(query, drawn), query.filters)
  );
}

/** Returns whether two sets of filters select the same rows because one filter implies the other: `close_reason` implies `status=closed`. */
function implies(filters: Filters, other: Filters): boolean {
  return Object.keys(filters).some((name) => {
    const row = findObservationParameter(name).implies?.row ?? {};
    const matches = Object.entries(row).every(([field, value]) => other[field] === value);
    const rest = omitFilters(other, (field) => field in row);
    return Object.keys(row).length > 0 && matches && JSON.stringify(filters) === JSON.stringify(rest);
  });
}

function pickBinding(filters: Filters): Filters {
  return omitFilters(filters, mayBeUnbound);
}

/** Returns the cursor with one character replaced by one that no usual cursor alphabet has. Braces are escaped. */
function damageCursor(cursor: string, { place, character }: InvalidUse & { kind: "damage" }): Row {
  const at = place % cursor.length;
  const text = cursor.slice(0, at) + character + cursor.slice(at + 1);
  return { cursor: text.replaceAll("{", "{{") };
}

/** Returns whether the server refused the use. A server may read a damaged cursor as the original one, but must not continue at another place. */
function isRefused(list: ListName, use: InvalidUse, response: WireResponse, continued: WireResponse): boolean {
  if (use.kind !== "damage") return response.status === 400 && readResponseErrorCode(response) === "invalid_cursor";
  if (response.status >= 400 && response.status < 500) return true;
  return (
    listKeys(list, readListRows(response) ?? []).join() === listKeys(list, readListRows(continued) ?? []).join() &&
    response.status === 200
  );
}

interface Misuse {
  first: Step;
  step: Step;
  list: ListName;
  /** The response to the valid use. */
  continued: WireResponse;
}

function createMisuseFailure(use: InvalidUse, runCase: Misuse): Failure {
  if (use.kind === "damage") return createDamageFailure(runCase);
  const { first, step } = runCase;
  return createFailure([CLAUSE[use.kind]], `${describeRequest(step)} accepts the cursor of ${describeRequest(first)}`, [
    first,
    { ...step, expect: { status: 400, error: { type: "invalid_request_error", code: "invalid_cursor" } } },
  ]);
}

function createDamageFailure({ first, step, list, continued }: Misuse): Failure {
  const name = findListStatement(list).key.slice(1);
  const rows = (readListRows(continued) ?? []).map((_, index) => `row${index}`);
  const save = Object.fromEntries(rows.map((row, index) => [row, `/data/${index}/${name}`]));
  const same = rows.map((row) => ({ [name]: `{${row}}` }));
  return createFailure(
    [CLAUSE.damage],
    `the cursor of ${describeRequest(first)} with a changed character continues at another place`,
    [
      first,
      { ...step, query: { ...step.query, cursor: "{cursor}" }, save },
      { ...step, expect: { status: ["4xx", 200], json: { data: { in: [{ absent: true }, same] } } } },
    ],
  );
}
