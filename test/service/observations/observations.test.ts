import { describe, expect, test } from "vitest";
import { advance } from "../../../src/service/advance.js";
import { drives } from "../../../src/service/drives/index.js";
import { createObservation, type ObservationFields } from "../../../src/service/observations/observations.js";
import { perform } from "../../../src/service/perform.js";
import type { Observation, World } from "../../../src/service/world/world.js";
import { exhaustive } from "../../meta/sample.js";
import { type CallParts, call, demoWorld } from "../world.js";

const list = "GET /api/observations";
const one = "GET /api/observations/{ref}";

interface Row extends Record<string, unknown> {
  ref: string;
}
interface Page {
  data: Row[];
  next_cursor: string | null;
  has_more: boolean;
}
type Test = (observation: Observation) => boolean;

const openFix = (o: Observation) => o.fix_pr?.status === "in_review" || o.fix_pr?.status === "revising";
const openFinding = (o: Observation) => o.status === "new" && o.kind === "finding";

/** Each filter with its meaning, written again from the contract. */
const filters: [Record<string, string>, Test][] = [
  [{}, () => true],
  ...["finding", "suggestion", "advisory"].map((kind): [Record<string, string>, Test] => [{ kind }, (o) => o.kind === kind]),
  [{ status: "new" }, (o) => o.status === "new" && !openFix(o)],
  [{ status: "closed" }, (o) => o.status === "closed"],
  ...["P0", "P1", "P2", "P3"].map((priority): [Record<string, string>, Test] => [{ priority }, (o) => o.priority === priority]),
  [{ category: "security" }, (o) => o.category === "security"],
  [{ domain: "security" }, (o) => o.domain === "security"],
  ...["fixed", "dismissed", "completed", "expired"].map((reason): [Record<string, string>, Test] => [
    { close_reason: reason },
    (o) => o.status === "closed" && o.close_reason === reason,
  ]),
  [{ has_fix_pr: "true" }, (o) => o.fix_pr !== null],
  [{ has_fix_pr: "false" }, (o) => o.fix_pr === null],
  [{ easy_wins: "true" }, (o) => openFinding(o) && o.easy_win],
  [{ easy_wins: "false" }, () => true],
  [{ needs_review: "true" }, (o) => openFinding(o) && o.needs_review],
  [{ repo: "api@main" }, (o) => o.repo === getRepo("acme/api/main")],
  [{ since: "2025-12-20T10:00:00+02:00" }, (o) => o.updated_at > Date.UTC(2025, 11, 20, 8)],
  [{ since: "2025-12-20T10:00:00.000000" }, (o) => o.updated_at > Date.UTC(2025, 11, 20, 10)],
  [{ since: "20251220T100000+0200" }, (o) => o.updated_at > Date.UTC(2025, 11, 20, 8)],
  [{ since: "2025-12-20T10" }, (o) => o.updated_at > Date.UTC(2025, 11, 20, 10)],
  [{ since: "2025-12" }, (o) => o.updated_at > Date.UTC(2025, 11)],
];

/** Reference orders, as comparisons. */
const orders: Record<string, (a: Observation, b: Observation) => number> = {
  recency: (a, b) => b.updated_at - a.updated_at || b.number - a.number,
  display_rank: (a, b) =>
    a.priority.localeCompare(b.priority) || b.severity - a.severity || b.updated_at - a.updated_at || b.number - a.number,
  resolved: (a, b) => (b.resolved_at ?? 0) - (a.resolved_at ?? 0) || b.updated_at - a.updated_at || b.number - a.number,
};

const world = seedWorld(700);

describe("the observation list", () => {
  test.each(filters)("%j keeps exactly the matching rows, in every order", (query, holds) => {
    for (const [order, compare] of Object.entries(orders)) {
      const observations = visible().filter(holds).sort(compare);
      expect(observations.length).toBeGreaterThan(0);
      expect(walk({ ...query, order })).toEqual(observations.map(({ ref }) => ref));
    }
  });

  test("combines any two filters, and every row passes both", () => {
    let met = 0;
    for (const [first, firstHolds] of filters) {
      for (const [second, secondHolds] of filters) {
        if (Object.keys(first).some((name) => name in second)) continue;
        const observations = visible()
          .filter((o) => firstHolds(o) && secondHolds(o))
          .sort(orders.recency);
        expect(walk({ ...first, ...second })).toEqual(observations.map(({ ref }) => ref));
        met += observations.length;
      }
    }
    expect(met).toBeGreaterThan(10_000);
  });

  test.each<[string, Record<string, string>]>([
    ["new ones of a close reason", { status: "new", close_reason: "fixed" }],
    ["a slug that nobody has", { repo: "nobody@main" }],
    ["closed easy wins", { status: "closed", easy_wins: "true" }],
    ["a row that was updated after the end", { since: "2099-01-01T00:00:00Z" }],
  ])("is empty for %s", (_, query) => {
    expect(get(query).body).toEqual({ data: [], next_cursor: null, has_more: false });
  });

  test.each<[string, Record<string, string>]>([
    ["an unknown kind", { kind: "bug" }],
    ["an unknown order", { order: "random" }],
    ["a since that is not a time", { since: "yesterday" }],
    ["a leap second that no clock shows", { since: "2026-01-05T23:59:60Z" }],
    ["a limit above 200", { limit: "201" }],
    ["a limit in hexadecimal", { limit: "0x10" }],
    ["a limit with an exponent", { limit: "1e2" }],
    ["a flag that is not a boolean", { has_fix_pr: "maybe" }],
  ])("refuses %s", (_, query) => {
    expect(get(query)).toMatchObject({ status: 422, body: { error: { code: "invalid_payload" } } });
  });

  test("is cut at 100 rows, or at the limit up to 200", () => {
    expect(getPage({}).data).toHaveLength(100);
    expect(getPage({ limit: "200" }).data).toHaveLength(200);
  });

  test("shows rows updated after `since`, not at that time", () => {
    const freshWorld = demoWorld();
    const observation = add(freshWorld, {});
    const at = new Date(freshWorld.now).toISOString();
    expect(refs(freshWorld, { since: at })).not.toContain(observation.ref);
    expect(refs(freshWorld, { since: new Date(freshWorld.now - 1).toISOString() })).toContain(observation.ref);
    expect(refs(freshWorld, { since: at, order: "resolved" })).not.toContain(observation.ref);
  });

  test.each([
    ["kind", { kind: "finding" }, { kind: "suggestion" }],
    ["order", {}, { order: "resolved" }],
    ["since", { since: "2025-12-20T00:00:00Z" }, { since: "2025-12-21T00:00:00Z" }],
    ["since, left out", { since: "2025-12-20T00:00:00Z" }, {}],
  ])("gives a cursor that another %s refuses", (_, here, there) => {
    const cursor = getPage({ ...here, limit: "1" }).next_cursor!;
    expect(get({ ...there, cursor }).rule.code).toBe("invalid_cursor");
    expect(get({ ...here, cursor, include: "locations", limit: "7" }).status).toBe(200);
  });

  test("of a workspace has no rows of another workspace or of a deleted repository", () => {
    const freshWorld = demoWorld();
    expect(new Set(rows(freshWorld, {}, "free").map((row) => row.repo_name))).toEqual(new Set(["site@main"]));
    const gone = refs(freshWorld, { repo: "tools@main" })[0]!;
    expect(freshWorld.observations[gone]).toBeDefined();
    perform(
      freshWorld,
      call("DELETE /api/repos/{owner}/{repo}/{branch}", { params: { owner: "acme", repo: "tools", branch: "main" } }),
    );
    expect(refs(freshWorld, { repo: "tools@main" })).toEqual([]);
    expect(refs(freshWorld, {})).not.toContain(gone);
    expect(perform(freshWorld, call(one, { params: { ref: gone } })).status).toBe(404);
  });

  test("moves a changed row, in lists that were read before", () => {
    const freshWorld = demoWorld();
    const last = refs(freshWorld, { status: "new" }).at(-1)!;
    expect(refs(freshWorld, { status: "closed" })).not.toContain(last);
    advance(freshWorld, { to: freshWorld.now + 1000 });
    perform(freshWorld, call("POST /api/observations/{ref}/acknowledge", { params: { ref: last } }));
    expect(refs(freshWorld, { status: "new" })[0]).toBe(last);
    perform(freshWorld, call("POST /api/observations/{ref}/complete", { params: { ref: last } }));
    expect(refs(freshWorld, { status: "new" })).not.toContain(last);
    expect(refs(freshWorld, { status: "closed", order: "resolved" })[0]).toBe(last);
  });
});

describe("one observation", () => {
  test("agrees with its row in the list, with and without locations", () => {
    for (const query of [{}, { include: "locations" }]) {
      const row = getPage(query).data[0]!;
      expect(perform(world, call(one, { params: { ref: row.ref }, query })).body).toEqual(row);
      expect("locations" in row).toBe("include" in query);
    }
  });

  test.each(["new", "closed"])("shows a close reason only when closed: %s", (status) => {
    const row = getPage({ status }).data[0]!;
    expect("close_reason" in row).toBe(status === "closed");
  });

  test.each(["SERVICE-999999", "SERVICE-", "constructor", "__proto__"])("is not found under %s", (ref) => {
    expect(perform(world, call(one, { params: { ref } }))).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  });

  test("of another workspace is not found", () => {
    const { ref } = getPage({}).data[0]!;
    expect(perform(world, call(one, { as: "free", params: { ref } })).status).toBe(404);
  });
});

test.runIf(exhaustive)("a page costs about the same at 100,000 observations as at 1,000, however deep", () => {
  const small = seedWorld(1000);
  const begun = performance.now();
  const large = seedWorld(100_000);
  const seconds = (performance.now() - begun) / 1000;
  for (const order of Object.keys(orders)) {
    const ratio = getCost(large, order) / getCost(small, order);
    console.log(
      `${order}: a page takes ${ratio.toFixed(2)} times as long at 100,000 rows as at 1,000 (seeded in ${seconds.toFixed(2)} s)`,
    );
  }
  expect(getPage({ limit: "200" }, large).data).toHaveLength(200);
});

/** Returns the milliseconds for first and middle pages, after a first read of the list. */
function getCost(of: World, order: string): number {
  const pages = Object.keys(of.observations).length / 200;
  let cursor = "";
  for (let i = 0; i < pages / 2; i++) cursor = getPage({ order, limit: 200, ...(cursor && { cursor }) }, of).next_cursor!;
  const begun = performance.now();
  for (let i = 0; i < 200; i++) getPage(i % 2 ? { order } : { order, cursor }, of);
  return performance.now() - begun;
}

function seedWorld(count: number): World {
  const freshWorld = demoWorld({ options: { limits: "off" } });
  drives["seed-observations"]!.run(freshWorld, { repo: "acme/api/main", count: Math.ceil(count / 2) });
  drives["seed-observations"]!.run(freshWorld, { repo: "acme/web/main", count: Math.floor(count / 2) });
  return freshWorld;
}

function getRepo(path: string): string {
  return Object.values(world.repos).find((repo) => `${repo.owner}/${repo.repo}/${repo.branch}` === path)!.id;
}

function add(to: World, parts: ObservationFields): Observation {
  return createObservation(to, Object.values(to.repos)[0]!, parts);
}

function visible(): Observation[] {
  return Object.values(world.observations).filter((observation) => observation.workspace === "acme");
}

function get(query: NonNullable<CallParts["query"]>, of = world, as = "full") {
  return perform(of, call(list, { as, query }));
}

function getPage(query: NonNullable<CallParts["query"]>, of = world): Page {
  return get(query, of).body as Page;
}

/** Returns the refs of every page, 97 on each. */
function walk(query: Record<string, string>): string[] {
  const found: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page = getPage({ ...query, limit: 97, ...(cursor && { cursor }) });
    found.push(...page.data.map((row) => row.ref));
    expect(page.has_more).toBe(page.next_cursor !== null);
    expect(page.data.length > 0 || !cursor).toBe(true);
    cursor = page.next_cursor;
  }
  return found;
}

function rows(of: World, query: Record<string, string>, as = "full"): Row[] {
  const foundRows: Row[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = get({ ...query, ...(cursor && { cursor }) }, of, as).body as Page;
    foundRows.push(...page.data);
    cursor = page.next_cursor;
  }
  return foundRows;
}

function refs(of: World, query: Record<string, string>): string[] {
  return rows(of, query).map((row) => row.ref);
}
