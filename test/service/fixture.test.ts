import { expect, test } from "vitest";
import { compileSchema, contract, readSpec } from "../../src/contract/load.js";
import type { WorkflowName } from "../../src/contract/types.js";
import { advance } from "../../src/service/advance.js";
import { type Fixture, foundWorld } from "../../src/service/fixture.js";
import { keyByToken, sessionByToken } from "../../src/service/lookups.js";
import { perform } from "../../src/service/perform.js";
import type { World } from "../../src/service/world.js";
import { call, demoWorld, readFixture } from "./world.js";

const shipped = ["demo", "empty", "free", "strict"] as const;
const seeds = [0, 1, 2, 7, 99, 123_456_789, -5];
const web = { owner: "acme", repo: "web", branch: "main" };
const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const dayMs = 86_400_000;

test.each(shipped)("%s.json has the fixture schema", (name) => {
  const validate = compileSchema(readSpec("schema/fixture.json") as object);
  expect(validate(readFixture(name)), JSON.stringify(validate.errors)).toBe(true);
});

test("the same fixture, seed and id give the same world, byte for byte", () => {
  expect(JSON.stringify(demoWorld({ seed: 4 }))).toBe(JSON.stringify(demoWorld({ seed: 4 })));
});

test("another seed gives other ids and other made-up rows, but the same listed ones", () => {
  const [one, other] = [demoWorld({ seed: 1 }), demoWorld({ seed: 2 })];
  expect(Object.keys(one.jobs)).not.toEqual(Object.keys(other.jobs));
  expect(Object.values(one.observations).map(({ title }) => title)).not.toEqual(
    Object.values(other.observations).map(({ title }) => title),
  );
  expect(Object.keys(one.keys)).toEqual(Object.keys(other.keys));
});

test("a world shares nothing that is written into with its fixture or with the next world", () => {
  const fixture = frozen(readFixture("demo"));
  const untouched = JSON.stringify(foundWorld(fixture, { id: "w", seed: 1 }));
  scribbleOn(foundWorld(fixture, { id: "w", seed: 1 }));
  expect(JSON.stringify(foundWorld(fixture, { id: "w", seed: 1 }))).toBe(untouched);
});

test("the world's id is part of every key and cookie, but in the default world", () => {
  const [standard, other] = [demoWorld(), demoWorld({ id: "w1" })];
  expect(keyByToken(standard, "mock_full")?.id).toBe("key_full");
  expect(keyByToken(other, "mock_w1_full")?.id).toBe("key_full");
  expect(keyByToken(other, "mock_full")).toBeUndefined();
  expect(sessionByToken(standard, "owner")?.role).toBe("owner");
  expect(sessionByToken(other, "w1_member")?.role).toBe("member");
});

test("a plan, where given, is that of the first workspace; options go over the fixture's", () => {
  const world = foundWorld(
    { ...readFixture("demo"), options: { limits: "off", dedupe_window_minutes: 3 } },
    {
      id: "w",
      seed: 1,
      plan: "free",
      options: { dedupe_window_minutes: 5 },
    },
  );
  expect(world.workspaces.acme?.plan).toBe("free");
  expect(world.workspaces["beta-co"]?.plan).toBe("paid");
  expect(world.options).toEqual({
    dispatch_seconds: 30,
    limits: "off",
    work: "time",
    rate_window: "fixed",
    mcp_rate: "requests",
    dedupe_window_minutes: 5,
    dedupe_terminal: "completed",
    idempotency_mismatch: "replay",
    run_findings: "timed",
  });
});

test("empty.json has keys and workspaces but no rows; free.json has every workspace on Free", () => {
  const empty = foundWorld(readFixture("empty"), { id: "w", seed: 1 });
  expect([empty.repos, empty.jobs, empty.observations, empty.agenda]).toEqual([{}, {}, {}, []]);
  expect(Object.keys(empty.keys)).toEqual(Object.keys(demoWorld().keys));
  const free = foundWorld(readFixture("free"), { id: "w", seed: 1 });
  expect(new Set(Object.values(free.workspaces).map(({ plan }) => plan))).toEqual(new Set(["free"]));
});

test("a suspended workspace was suspended when the world began, the others never", () => {
  const { now, workspaces } = demoWorld();
  const since = Object.values(workspaces).map(({ id, suspended_at }) => [id, suspended_at]);
  expect(since.filter(([, at]) => at !== null)).toEqual([["gone-quiet", now]]);
});

test.each(seeds)("with seed %d the Paid workspace holds something for every filter", (seed) => {
  const { observations, jobs, workspaces } = demoWorld({ seed });
  const seen = (field: string) =>
    new Set(
      Object.values(observations)
        .filter(inAcme)
        .map((row) => row[field as keyof typeof row] ?? null),
    );
  expect(seen("kind")).toEqual(new Set(enumOf("ObservationKind")));
  expect(seen("status")).toEqual(new Set(enumOf("ObservationStatus")));
  expect(seen("priority")).toEqual(new Set(enumOf("Priority")));
  expect(seen("category")).toEqual(new Set(enumOf("Category")));
  expect(seen("domain")).toEqual(new Set(enumOf("Domain")));
  expect(seen("close_reason")).toEqual(new Set([...enumOf("CloseReason"), null]));
  expect(seen("dismissal_category")).toEqual(new Set([...enumOf("DismissalCategory"), "exhausted_fix_attempts", null]));
  expect(seen("easy_win")).toEqual(new Set([true, false]));
  expect(seen("needs_review")).toEqual(new Set([true, false]));
  const pullRequests = new Set(
    Object.values(observations)
      .filter(inAcme)
      .map(({ fix_pr }) => fix_pr?.status),
  );
  expect(pullRequests).toEqual(new Set(["in_review", "revising", "merged", "closed", undefined]));
  expect(
    new Set(
      Object.values(jobs)
        .filter(inAcme)
        .map(({ status }) => status),
    ),
  ).toEqual(new Set(enumOf("JobStatus")));
  expect(workspaces.acme?.plan).toBe("paid");
});

test("some open findings lie in workflow files and have no pull request", () => {
  const open = Object.values(demoWorld().observations).filter(
    ({ status, kind, fix_pr }) => status === "new" && kind === "finding" && !fix_pr,
  );
  expect(open.filter(({ locations }) => locations[0]?.file_path.startsWith(".github/workflows/")).length).toBeGreaterThanOrEqual(
    2,
  );
});

test("the N-th observation of the fixture is SERVICE-N", () => {
  const world = demoWorld({ seed: 31 });
  const listed = readFixture("demo").observations ?? [];
  expect(listed.length).toBeGreaterThan(30);
  for (const [i, { title, close_reason, fix_pr, acknowledged }] of listed.entries()) {
    const row = world.observations[`SERVICE-${i + 1}`];
    expect(row?.title).toBe(title);
    expect(row?.close_reason).toBe(fix_pr === "merged" ? "fixed" : (close_reason ?? null));
    expect(row?.fix_pr?.status).toBe(fix_pr);
    expect(row?.acknowledged_at !== null).toBe(acknowledged === true);
  }
});

test("a listed fix pull request has the attempt and the completed job that opened it", () => {
  const world = demoWorld();
  const withPr = Object.values(world.observations).filter(({ attempt }) => attempt !== null);
  expect(withPr.length).toBeGreaterThanOrEqual(4);
  for (const { attempt, fix_pr, ref } of withPr) {
    const job = world.jobs[world.attempts[attempt!]!.job]!;
    expect(job).toMatchObject({ workflow: "fix", status: "completed", params: { ref }, fix_pr_url: fix_pr?.url });
  }
});

test.each(seeds)("with seed %d nothing lies in the future or before its cause", (seed) => {
  const world = demoWorld({ seed });
  for (const job of Object.values(world.jobs)) {
    expectOrder([job.created_at, job.started_at, job.finished_at, world.now]);
    expect(job.finished_at !== null).toBe(["completed", "failed", "cancelled"].includes(job.status));
    expect(job.started_at !== null).toBe(job.status !== "pending");
  }
  for (const row of Object.values(world.observations))
    expectOrder([row.created_at, row.resolved_at ?? row.acknowledged_at, row.updated_at, world.now]);
  const serials = Object.values(world.jobs).sort((a, b) => a.serial - b.serial);
  expectOrder(serials.map(({ created_at }) => created_at));
  expect(world.changes).toEqual([]);
});

test("what waits starts at the next tick, what runs ends by itself", () => {
  const world = demoWorld();
  const begin = world.now;
  const inFlight = (status: string) => Object.values(world.jobs).filter((job) => job.status === status).length;
  expect([inFlight("pending"), inFlight("running")]).toEqual([1, 2]);
  expect(advance(world, { until: "next-event" }).map(({ at, to }) => [at - begin, to])).toEqual([[30_000, "running"]]);
  advance(world, { until: "idle" });
  expect([inFlight("pending"), inFlight("running")]).toEqual([0, 0]);
  expect(world.now - begin).toBeLessThan(dayMs);
});

test("a running job that is older than its run still ends after the world begins, and one that has just ended did so before", () => {
  const fixture: Fixture = {
    ...readFixture("demo"),
    jobs: [
      { repo: "acme/web/main", workflow: "publish", status: "running", age_minutes: 500 },
      { repo: "acme/api/main", workflow: "audit", status: "completed", age_minutes: 1 },
      { repo: "acme/api/main", workflow: "discover", status: "failed", age_minutes: 0 },
    ],
    observations: [],
  };
  const world = foundWorld(fixture, { id: "w", seed: 3 });
  for (const job of Object.values(world.jobs)) expectOrder([job.created_at, job.started_at, job.finished_at, world.now]);
  expect(world.agenda.map(({ event, at }) => [event, at > world.now])).toEqual([["finish-job", true]]);
});

test.each(
  Object.entries(contract.workflows)
    .filter(([, { submittable, beta }]) => submittable && !beta)
    .map(([workflow]) => workflow as WorkflowName),
)("a first submission of %s is fresh in every repository of the Paid workspace", (workflow) => {
  const world = demoWorld();
  const params = workflow === "fix" ? { ref: "SERVICE-1" } : {};
  for (const repo of ["web", "api", "tools"]) {
    expect(perform(world, call(submit, { params: { ...web, repo }, body: { workflow, params } })).status).toBe(201);
  }
});

test("warns before a key of a fixture expires, a week ahead, and not of one that has only a week", () => {
  const fixture = readFixture("demo");
  fixture.roles.viewer!.expires_at = "2026-02-05T09:00:00.000Z";
  fixture.roles.triage!.expires_at = "2026-01-12T09:00:00.000Z";
  const world = foundWorld(fixture, { id: "default", seed: 1 });
  advance(world, { to: Date.parse("2026-02-06T00:00:00.000Z") });
  const mails = world.mails.map(({ at, to }) => [to, new Date(at).toISOString()]);
  expect(mails).toEqual([["creator of key_viewer", "2026-01-29T09:00:00.000Z"]]);
});

function inAcme({ workspace }: { workspace: string }): boolean {
  return workspace === "acme";
}

function enumOf(schema: string): unknown[] {
  return contract.openapi.components?.schemas?.[schema]?.enum ?? [];
}

function expectOrder(times: (number | null)[]): void {
  const known = times.filter((time) => time !== null);
  expect(known).toEqual([...known].sort((a, b) => a - b));
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** Writes into every object and list of a world but those inside a job or an observation, which are Readonly. */
function scribbleOn({ jobs, observations, ...rest }: World): void {
  for (const row of [jobs, observations, ...Object.values(jobs), ...Object.values(observations)])
    Object.assign(row, { scribble: true });
  scribble(rest);
}

function scribble(value: object): void {
  for (const inner of Object.values(value)) if (typeof inner === "object" && inner !== null) scribble(inner);
  if (Array.isArray(value)) value.push("scribble");
  else (value as Record<string, unknown>).scribble = true;
}
