import { describe, expect, test } from "vitest";
import { advance } from "../../../src/service/advance.js";
import { perform } from "../../../src/service/perform.js";
import type { World } from "../../../src/service/world/world.js";
import { type CallParts, call, demoWorld } from "../world.js";

const jobs = "/api/repos/{owner}/{repo}/{branch}/jobs";
const fresh = { owner: "acme", repo: "fresh", branch: "main" };
const taken = { owner: "acme", repo: "web", branch: "main" };
const second = 1000;

interface Refused {
  status: number;
  body: { error: { code: string; message: string; details?: unknown; type: string } };
  headers: Record<string, string>;
}

describe("a registration", () => {
  test("answers 201 with the repository and no job id", () => {
    const world = demoWorld();
    expect(register(world)).toMatchObject({ status: 201, body: { ...fresh, access_mode: "installed", discover_job_id: null } });
    expect(perform(world, call("GET /api/repos/{owner}/{repo}/{branch}", { params: fresh })).status).toBe(200);
  });

  test("is followed by a discovery job after one second, started at the next tick", () => {
    const world = demoWorld();
    register(world);
    advance(world, { to: world.now + second - 1 });
    expect(discoveries(world)).toEqual([]);
    advance(world, { to: world.now + 1 });
    expect(discoveries(world)).toEqual(["pending"]);
    advance(world, { to: world.epoch + 30 * second - 1 });
    expect(discoveries(world)).toEqual(["pending"]);
    advance(world, { to: world.epoch + 30 * second });
    expect(discoveries(world)).toEqual(["running"]);
  });

  test("accepts another branch of a registered repository, and another workspace's triple", () => {
    const world = demoWorld();
    expect(register(world, { body: { ...taken, branch: "next" } }).status).toBe(201);
    expect(register(world, { body: taken, as: "free" }).status).toBe(201);
  });

  test("accepts a private repository through the installed app", () => {
    expect(register(demoWorld(), { body: { ...fresh, repo: "secret" } }).status).toBe(201);
  });

  test("starts no second run beside a manual one in the same second", () => {
    const world = demoWorld();
    register(world);
    expect(discover(world).status).toBe(201);
    advance(world, { to: world.now + 2 * second });
    expect(discoveries(world)).toEqual(["pending"]);
  });

  test("starts no run when the repository is deleted within the second", () => {
    const world = demoWorld();
    register(world);
    perform(world, call("DELETE /api/repos/{owner}/{repo}/{branch}", { params: fresh }));
    const countBefore = Object.keys(world.jobs).length;
    advance(world, { to: world.now + 2 * second });
    expect(Object.keys(world.jobs).length).toBe(countBefore);
  });
});

describe("a registration is refused", () => {
  const cases: { why: string; body?: object; prepare?: (world: World) => void; status: number; code: string; as?: string }[] = [
    { why: "without an owner", body: { repo: "a", branch: "b" }, status: 422, code: "invalid_payload" },
    ...Object.keys(fresh).flatMap((name) =>
      ["\0", "\n", "\u001b[2J", "\u007f", "\u0085"].map((control) => ({
        why: `with ${JSON.stringify(control)} in ${name}`,
        body: { ...fresh, [name]: `a${control}b` },
        status: 422,
        code: "invalid_payload",
      })),
    ),
    { why: "with an unknown access mode", body: { ...fresh, access_mode: "ssh" }, status: 422, code: "invalid_payload" },
    {
      why: "while the code host is out of reach",
      prepare: (world) => outage(world, null),
      status: 503,
      code: "service_unavailable",
    },
    { why: "of a registered triple", body: taken, status: 409, code: "repo_already_registered" },
    { why: "of what is private, anonymously", body: anonymous("secret"), status: 400, code: "repo_no_longer_public" },
    { why: "of what is gone, anonymously", body: anonymous("vanished"), status: 400, code: "repo_no_longer_public" },
    { why: "of what is gone, through the app", body: { ...fresh, repo: "vanished" }, status: 400, code: "bad_request" },
    { why: "past the cap", prepare: (world) => cap(world, 3), status: 403, code: "plan_repo_cap_exceeded" },
    {
      why: "past the cap, anonymously",
      body: anonymous("fresh"),
      prepare: (world) => cap(world, 3),
      status: 400,
      code: "repo_cap_exceeded",
    },
    { why: "over the hourly ceiling", prepare: useUpHour, status: 429, code: "rate_limit_budget" },
    { why: "without its scope", as: "triage", status: 403, code: "insufficient_scope" },
  ];

  test.each(cases)("$why: $status $code, and nothing is added", ({ body = fresh, prepare, status, code, as = "full" }) => {
    const world = demoWorld();
    prepare?.(world);
    const before = snapshot(world);
    expect(register(world, { body, as })).toMatchObject({ status, body: { error: { code } } });
    expect(snapshot(world)).toEqual(before);
  });

  const order: { first: string; body: object; prepare: ((world: World) => void)[] }[] = [
    { first: "service_unavailable", body: taken, prepare: [(world) => outage(world, null), (world) => cap(world, 0), useUpHour] },
    {
      first: "repo_already_registered",
      body: { ...taken, access_mode: "anonymous" },
      prepare: [isPrivate, (world) => cap(world, 0), useUpHour],
    },
    { first: "repo_no_longer_public", body: anonymous("secret"), prepare: [(world) => cap(world, 0), useUpHour] },
    { first: "repo_cap_exceeded", body: anonymous("fresh"), prepare: [(world) => cap(world, 0), useUpHour] },
  ];

  test.each(order)("for the first of several reasons: $first", ({ first, body, prepare }) => {
    const world = demoWorld();
    for (const step of prepare) step(world);
    expect(register(world, { body }).body.error.code).toBe(first);
  });

  test("with the name of the existing repository", () => {
    const { error } = register(demoWorld(), { body: taken }).body;
    expect(error).toMatchObject({
      type: "conflict",
      details: { repo_name: "web@main" },
      message: expect.stringContaining("web@main"),
    });
  });

  test.each([
    { retryAfter: 7, header: "7" },
    { retryAfter: null, header: undefined },
  ])("by an outage with Retry-After $header", ({ retryAfter, header }) => {
    const world = demoWorld();
    outage(world, retryAfter);
    expect(register(world).headers["retry-after"]).toBe(header);
  });
});

describe("the discovery run of a registration", () => {
  const refused: { why: string; prepare: (world: World) => void; as?: string; code: string }[] = [
    { why: "credit is exhausted", as: "broke", prepare: () => {}, code: "insufficient_credit" },
    { why: "spending is paused", prepare: ({ workspaces }) => (workspaces.acme!.spend_paused = true), code: "spend_paused" },
    {
      why: "the plan has no discover",
      prepare: ({ plans }) => (plans.paid.workflows = ["audit"]),
      code: "workflow_not_entitled",
    },
  ];

  test.each(refused)("is not created when $why, like a manual one", ({ prepare, as = "full", code }) => {
    const world = demoWorld();
    prepare(world);
    expect(register(world, { as }).status).toBe(201);
    advance(world, { to: world.now + 60 * second });
    expect(discoveries(world, as)).toEqual([]);
    expect(discover(world, as)).toMatchObject({ status: 402, body: { error: { code } } });
  });

  test("is paid once, from the workspace and the key that registered", () => {
    const world = demoWorld();
    const cost = world.runs.discover.cost_usd;
    const credit = world.workspaces.acme!.credit_usd;
    register(world);
    advance(world, { to: world.now + 60 * second });
    expect(world.workspaces.acme!.credit_usd).toBe(credit - cost);
    expect([world.spend.acme?.spent_usd, world.spend.key_full?.spent_usd]).toEqual([cost, cost]);
  });

  test("is paid at once, so that a burst reaches the hourly ceiling", () => {
    const world = demoWorld();
    world.workspaces.acme!.hourly_ceiling_usd = world.runs.discover.cost_usd * 2.5;
    const statuses = ["a", "b", "c"].map((repo) => register(world, { body: { ...fresh, repo } }).status);
    expect(statuses).toEqual([201, 201, 429]);
  });
});

function register(world: World, parts: CallParts = {}): Refused {
  return perform(world, call("POST /api/repos", { body: fresh, ...parts })) as unknown as Refused;
}

function discover(world: World, as = "full") {
  return perform(world, call(`POST ${jobs}`, { as, params: fresh, body: { workflow: "discover", params: {} } }));
}

function discoveries(world: World, as = "full"): string[] {
  const { body } = perform(world, call(`GET ${jobs}`, { as, params: fresh, query: { workflow: "discover" } }));
  return (body as { data: { status: string }[] }).data.map((job) => job.status);
}

function anonymous(repo: string): object {
  return { ...fresh, repo, access_mode: "anonymous" };
}

function outage(world: World, retryAfter: number | null): void {
  world.codeHost.outage = { retry_after: retryAfter };
}

function cap(world: World, count: number): void {
  world.workspaces.acme!.repo_cap = count;
}

function isPrivate(world: World): void {
  world.codeHost.private.push("acme/web");
}

function useUpHour(world: World): void {
  world.workspaces.acme!.hourly_ceiling_usd = 1;
  world.spend.acme = { since: world.now, spent_usd: 1 };
}

function snapshot({ repos, jobs, schedule, workspaces, spend }: World): unknown {
  return structuredClone({ repos, jobs, schedule, workspaces, spend });
}
