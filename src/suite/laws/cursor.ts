import fc, { type Arbitrary } from "fast-check";
import { bodyJson, type WireResponse } from "../../engine/http/exchange.js";
import type {
  CaseOutcome,
  DrawContext,
  Failure,
  JudgedPoint,
  Property,
  SystemUnderTest,
} from "../../engine/property/property.js";
import type { Row, Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { type ListName, listStatement, lists, observationParameter } from "../statements/lists.js";
import { failed, inconclusive, whereOf } from "./blame.js";
import { keysOf, rowsOf } from "./listing.js";
import { conformingFilters, drawFilters, type Filters, type Query, readList, without } from "./lists.js";

/** A cursor of a list and the wrong uses it is put to, one after another. */
interface Case {
  query: Query;
  limit: number;
  uses: Use[];
}

/** A use that the text refuses: with other filters, on another endpoint, with one character that is none of its own. */
type Use =
  | { kind: "filters"; filters: Filters }
  | { kind: "endpoint"; list: ListName }
  | { kind: "damage"; place: number; character: string };

const CLAUSE = { filters: "CURSOR-FILTERS", endpoint: "CURSOR-ENDPOINT", damage: "CURSOR-FORGED" };

const ROUTES = (Object.keys(lists) as ListName[]).map((list) => listStatement(list).route);

/** Whether limit, order and include are among what binds a cursor is not said, nor whether another repository is another endpoint. */
function isUnbound(name: string): boolean {
  const { kind = "filter" } = observationParameter(name);
  return kind !== "filter";
}

/** CURSOR-FILTERS, CURSOR-ENDPOINT, CURSOR-FORGED: a cursor goes on with the walk it came from and with no other. */
export const cursorsAreBound: Property<Case> = {
  id: "cursors-are-bound",
  title: "A cursor is refused under other filters, on another list, and when a character of it was changed",
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
      uses: fc.array(drawUse(context), { minLength: 1, maxLength: 16 }),
    }),
  run: misuse,
};

/** A list with few filters, so that there is a second page. */
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

function drawUse(context: DrawContext): Arbitrary<Use> {
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

async function misuse(sut: SystemUnderTest, { query, limit, uses }: Case): Promise<CaseOutcome> {
  const first: Step = { ...readList(query, { limit }, false), save: { cursor: "/next_cursor" } };
  const opened = await sut.send(first);
  if (!opened.ok) return inconclusive(opened.why);
  const cursor = sut.lookup("cursor");
  if (typeof cursor !== "string" || cursor === "") return inconclusive("the list has one page only");
  const onward = await sut.send(readList(query, { limit, cursor: "{cursor}" }, false));
  if (!onward.ok || onward.response.status !== 200) return inconclusive("the cursor does not serve its own walk");
  const judged: JudgedPoint[] = [];
  for (const use of uses) {
    const step = wrongStep(query, limit, cursor, use);
    if (!step) continue;
    const sent = await sut.send(step);
    if (!sent.ok) return inconclusive(sent.why);
    if (!isRefused(query.list, use, sent.response, onward.response))
      return blame(use, { first, step, list: query.list, onward: onward.response });
    judged.push(pointOf(use, query.list));
  }
  return judged.length > 0
    ? { verdict: "passed", subjects: judged.length, judged }
    : inconclusive("no use that was drawn is a wrong one");
}

/** What a refusal says something of: the list that was asked, and that of the cursor. */
function pointOf(use: Use, list: ListName): JudgedPoint {
  const { route } = listStatement(list);
  const asked = use.kind === "endpoint" ? listStatement(use.list).route : route;
  const covers = { list: asked, ...(use.kind === "endpoint" && { "list of the cursor": route }) };
  return { clause: CLAUSE[use.kind], surface: "rest", covers };
}

/** The request that uses the cursor wrongly; undefined when the use is a right one, or the text does not say. */
function wrongStep(query: Query, limit: number, cursor: string, use: Use): Step | undefined {
  switch (use.kind) {
    case "filters":
      if (query.list !== "observations" && query.list !== "repository jobs") return undefined;
      return bindsOtherwise(query, use.filters)
        ? readList({ list: query.list, filters: changed(query, use.filters) }, { limit, cursor: "{cursor}" }, false)
        : undefined;
    case "endpoint":
      return use.list === query.list
        ? undefined
        : readList({ list: use.list, filters: {} }, { limit, cursor: "{cursor}" }, false);
    case "damage":
      // Repositories show nothing by which two pages could be told apart.
      return query.list === "repositories" ? undefined : readList(query, { limit, ...damaged(cursor, use) }, false);
    default:
      return use satisfies never;
  }
}

/** The filters of the wrong use: the drawn ones, with the order and include that the cursor came with. */
function changed({ list, filters }: Query, drawn: Filters): Filters {
  if (list === "repository jobs") return filters.workflow === "audit" ? { workflow: "standard_audit" } : { workflow: "audit" };
  return { ...conformingFilters(binding(drawn)), ...without(filters, (name) => !isUnbound(name)) };
}

function bindsOtherwise(query: Query, drawn: Filters): boolean {
  const [own, other] = [binding(query.filters), binding(changed(query, drawn))].map((filters) =>
    JSON.stringify(Object.entries(filters).sort()),
  );
  return own !== other && !implies(query.filters, changed(query, drawn)) && !implies(changed(query, drawn), query.filters);
}

/** Where one of some filters implies another, the same rows could be meant with that and without: close_reason and `status=closed`. */
function implies(filters: Filters, other: Filters): boolean {
  return Object.keys(filters).some((name) => {
    const row = observationParameter(name).implies?.row ?? {};
    const said = Object.entries(row).every(([field, value]) => other[field] === value);
    const rest = without(other, (field) => field in row);
    return Object.keys(row).length > 0 && said && JSON.stringify(filters) === JSON.stringify(rest);
  });
}

function binding(filters: Filters): Filters {
  return without(filters, isUnbound);
}

/** The cursor with one character replaced by one that no usual alphabet of cursors has. Parts of it are no variable: it is written out. */
function damaged(cursor: string, { place, character }: Use & { kind: "damage" }): Row {
  const at = place % cursor.length;
  const text = cursor.slice(0, at) + character + cursor.slice(at + 1);
  return { cursor: text.replaceAll("{", "{{") };
}

/** A damaged cursor may be read as the one it was: what the text does not allow is another place. */
function isRefused(list: ListName, use: Use, response: WireResponse, onward: WireResponse): boolean {
  if (use.kind !== "damage") return response.status === 400 && codeOf(response) === "invalid_cursor";
  if (response.status >= 400 && response.status < 500) return true;
  return keysOf(list, rowsOf(response) ?? []).join() === keysOf(list, rowsOf(onward) ?? []).join() && response.status === 200;
}

interface Misuse {
  first: Step;
  step: Step;
  list: ListName;
  /** The answer to the right use. */
  onward: WireResponse;
}

function blame(use: Use, misuse: Misuse): Failure {
  if (use.kind === "damage") return blameDamage(misuse);
  const { first, step } = misuse;
  return failed([CLAUSE[use.kind]], `the cursor of ${whereOf(first)} is not refused on ${whereOf(step)}`, [
    first,
    { ...step, expect: { status: 400, error: { type: "invalid_request_error", code: "invalid_cursor" } } },
  ]);
}

function blameDamage({ first, step, list, onward }: Misuse): Failure {
  const name = listStatement(list).key.slice(1);
  const rows = (rowsOf(onward) ?? []).map((_, index) => `row${index}`);
  const save = Object.fromEntries(rows.map((row, index) => [row, `/data/${index}/${name}`]));
  const same = rows.map((row) => ({ [name]: `{${row}}` }));
  return failed([CLAUSE.damage], `the cursor of ${whereOf(first)} with a character changed leads to another place`, [
    first,
    { ...step, query: { ...step.query, cursor: "{cursor}" }, save },
    { ...step, expect: { status: ["4xx", 200], json: { data: { in: [{ absent: true }, same] } } } },
  ]);
}

function codeOf(response: WireResponse): unknown {
  const body = bodyJson(response);
  return body.ok && isRecord(body.value) && isRecord(body.value.error) ? body.value.error.code : undefined;
}
