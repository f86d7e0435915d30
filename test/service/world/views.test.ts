import fc from "fast-check";
import { expect, test } from "vitest";
import { contract } from "../../../src/contract/load.js";
import { seedObservations } from "../../../src/service/fixture/seeding.js";
import { createObservationsView, type ObservationQuery } from "../../../src/service/observations/filters.js";
import { changeObservation, createObservation, type ObservationFields } from "../../../src/service/observations/observations.js";
import { removeRepo, resetRepo } from "../../../src/service/repositories/repos.js";
import { findRepoByPath, readRow } from "../../../src/service/world/lookups.js";
import { countRows, type Rank, readPage, type View } from "../../../src/service/world/views.js";
import type { Observation, World } from "../../../src/service/world/world.js";
import { demoWorld } from "../world.js";

const { enums } = contract;
const repos = ["acme/web/main", "acme/api/main"];

/** A query that often uses each filter and each order. */
const query: fc.Arbitrary<ObservationQuery> = fc.record(
  {
    kind: fc.constantFrom(...enums.ObservationKind),
    status: fc.constantFrom(...enums.ObservationStatus),
    priority: fc.constantFrom(...enums.Priority),
    category: fc.constantFrom(...enums.Category),
    domain: fc.constantFrom(...enums.Domain),
    close_reason: fc.constantFrom(...enums.CloseReason),
    repo: fc.constantFrom("web@main", "api@main", "none@main"),
    has_fix_pr: fc.boolean(),
    easy_wins: fc.boolean(),
    needs_review: fc.boolean(),
    since: fc.constantFrom(Date.UTC(2025, 11, 1), Date.UTC(2025, 11, 25), Date.UTC(2026, 0, 5)),
    order: fc.constantFrom("recency", "display_rank", "resolved"),
  },
  { requiredKeys: [] },
);

/** Changes of the fields that filters use. */
const changedFields: fc.Arbitrary<ObservationFields> = fc.record(
  {
    status: fc.constantFrom(...enums.ObservationStatus),
    priority: fc.constantFrom(...enums.Priority),
    severity: fc.nat(99),
    resolved_at: fc.option(fc.constantFrom(Date.UTC(2025, 11, 7), Date.UTC(2026, 0, 2))),
    easy_win: fc.boolean(),
    needs_review: fc.boolean(),
    fix_pr: fc.option(fc.record({ url: fc.constant("x"), status: fc.constantFrom("in_review" as const, "closed" as const) })),
  },
  { requiredKeys: [] },
);

type Step =
  | { ask: ObservationQuery }
  | { count: ObservationQuery }
  | { add: ObservationFields }
  | { change: ObservationFields; at: number }
  | { wait: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ ask: query }) },
    { weight: 1, arbitrary: fc.record({ count: query }) },
    { weight: 2, arbitrary: fc.record({ add: changedFields }) },
    { weight: 4, arbitrary: fc.record({ change: changedFields, at: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ wait: fc.nat(2) }) },
  ),
  { minLength: 5, maxLength: 40 },
);

test("a list equals a walk over all rows, after any additions, changes and deletions", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 400 }), fc.boolean(), (all, limit, drops) => {
      const world = largeWorld(1500);
      for (const step of all) take(world, step, limit);
      const [web, api] = repos.map((path) => findRepoByPath(world, path)!);
      if (drops) resetRepo(world, web!, { findings: true });
      else removeRepo(world, api!);
      for (const step of all) if ("ask" in step) expectSame(world, step.ask, limit);
    }),
    { numRuns: 15 },
  );
});

test("a row that changes twice at the same time is found by its last values", () => {
  const world = largeWorld(1500);
  const row = getAny(world, 0);
  for (const priority of enums.Priority) {
    changeObservation(world, row, { priority });
    for (const order of ["recency", "display_rank", "resolved"] as const) expectSame(world, { priority, order }, 400);
  }
});

test("a list of few among many rows is kept and stays correct", () => {
  const world = largeWorld(25_000);
  const view = getView(world, { repo: "none@main" });
  const rare: View<"observations"> = { ...view, name: "one title", filterBits: 0, includes: ({ title }) => title === "Rare" };
  expect(readPage(world, rare, null, 10)).toEqual({ rows: [], more: false });
  const [first, second] = [1, 2].map(() => createObservation(world, findRepoByPath(world, repos[0]!)!, { title: "Rare" }));
  expect(readPage(world, rare, null, 10).rows).toEqual([second, first]);
  world.now += 1;
  changeObservation(world, first!, {});
  expect(readPage(world, rare, null, 1)).toEqual({ rows: [first], more: true });
  changeObservation(world, first!, { title: "Common" });
  expect([readPage(world, rare, null, 10).rows, countRows(world, rare)]).toEqual([[second], 1]);
});

function take(world: World, step: Step, limit: number): void {
  if ("ask" in step) expectSame(world, step.ask, limit);
  else if ("count" in step) expectCount(world, step.count);
  else if ("add" in step) createObservation(world, findRepoByPath(world, repos[0]!)!, step.add);
  else if ("change" in step) changeObservation(world, getAny(world, step.at), step.change);
  else world.now += step.wait;
}

/** Compares the count, which has no `since`. */
function expectCount(world: World, { since: _, ...asked }: ObservationQuery): void {
  expect(countRows(world, getView(world, asked))).toBe(walk(world, asked).length);
}

function expectSame(world: World, observationQuery: ObservationQuery, limit: number): void {
  const view = getView(world, observationQuery);
  const observations: Observation[] = [];
  for (let after: Rank | null = null, more = true; more; ) {
    const next: { rows: Observation[]; more: boolean } = readPage(world, view, after, limit);
    observations.push(...next.rows);
    more = next.more;
    after = more ? view.order.rank(next.rows.at(-1)!) : null;
  }
  expect(observations.map(({ ref }) => ref)).toEqual(walk(world, observationQuery).map(({ ref }) => ref));
}

/** Filters and sorts all rows without an index. */
function walk(world: World, { since = Number.NEGATIVE_INFINITY, order = "recency", ...asked }: ObservationQuery): Observation[] {
  const { includes } = createObservationsView(world, "acme", asked);
  const keys: Record<typeof order, (row: Observation) => number[]> = {
    recency: (row) => [-row.updated_at],
    display_rank: (row) => [enums.Priority.indexOf(row.priority), -row.severity, -row.updated_at],
    resolved: (row) => (row.resolved_at === null ? [1, -row.updated_at] : [0, -row.resolved_at]),
  };
  return Object.values(world.observations)
    .filter((row) => includes(row) && row.updated_at > since)
    .sort((a, b) => {
      const [left, right] = [keys[order](a), keys[order](b)];
      const place = left.findIndex((key, i) => key !== right[i]);
      return place < 0 ? b.number - a.number : left[place]! - right[place]!;
    });
}

test("the lists compared are not empty", () => {
  const world = largeWorld(1500);
  expect(walk(world, {}).length).toBeGreaterThan(1500);
  expect(walk(world, { repo: "api@main", kind: "finding", order: "resolved" }).length).toBeGreaterThan(200);
});

function getView(world: World, observationQuery: ObservationQuery): View<"observations"> {
  return createObservationsView(world, "acme", observationQuery);
}

function largeWorld(size: number): World {
  const world = demoWorld();
  for (const path of repos) seedObservations(world, findRepoByPath(world, path)!, size / 2);
  return world;
}

function getAny(world: World, at: number): Observation {
  const refs = Object.keys(world.observations);
  return readRow(world.observations, refs[at % refs.length]!);
}
