import { describe, expect, test } from "vitest";
import { advance } from "../../../src/service/advance.js";
import { drives } from "../../../src/service/drives/index.js";
import { perform } from "../../../src/service/perform.js";
import type { World } from "../../../src/service/world/world.js";
import { type CallParts, call, demoWorld } from "../world.js";

const jobs = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const web = { owner: "acme", repo: "web", branch: "main" };
const api = { owner: "acme", repo: "api", branch: "main" };
const hour = 3_600_000;

interface JobBody {
  id: string;
  status: string;
  workflow: string;
}

describe("the status of a job", () => {
  test("goes pending, running at the next tick, completed when its run ends", () => {
    const world = demoWorld();
    const job = submitJob(world);
    expect(getStatus(world, job.id)).toBe("pending");
    advance(world, { to: world.epoch + 29_999 });
    expect(getStatus(world, job.id)).toBe("pending");
    advance(world, { to: world.epoch + 30_000 });
    expect(getStatus(world, job.id)).toBe("running");
    advance(world, { until: "idle" });
    expect(getStatus(world, job.id)).toBe("completed");
  });

  test.each(["pending", "running"])("is cancelled from %s and stays so", (state) => {
    const world = demoWorld();
    const job = submitJob(world);
    if (state === "running") advance(world, { to: world.now + 30_000 });
    expect(actOnJob(world, "cancel", job.id)).toMatchObject({ status: 200, body: { status: "cancelled" } });
    advance(world, { to: world.now + 24 * hour });
    expect(getStatus(world, job.id)).toBe("cancelled");
  });

  test.each(["success", "failure", "cancelled"])("cannot be cancelled after it ended in %s", (end) => {
    const world = demoWorld();
    const job = endJob(world, end);
    const before = getStatus(world, job.id);
    expect(actOnJob(world, "cancel", job.id).rule.code).toBe("job_not_cancellable");
    expect(getStatus(world, job.id)).toBe(before);
  });
});

describe("a retry", () => {
  test.each(["failure", "cancelled"])("of a job that ended in %s creates one new job of the same workflow", (end) => {
    const world = demoWorld();
    const parent = endJob(world, end);
    const first = actOnJob(world, "retry", parent.id);
    expect(first).toMatchObject({ status: 201, body: { status: "pending", workflow: "audit" } });
    const child = first.body as JobBody;
    expect(child.id).not.toBe(parent.id);
    expect(actOnJob(world, "retry", parent.id)).toMatchObject({ status: 200, body: { id: child.id } });
    finish(world, child.id, "failure");
    expect(actOnJob(world, "retry", parent.id)).toMatchObject({ status: 201 });
  });

  test.each(["pending", "running", "success"])("of a %s job is refused and starts nothing", (state) => {
    const world = demoWorld();
    const job = state === "success" ? endJob(world, state) : submitJob(world);
    if (state === "running") advance(world, { to: world.now + 30_000 });
    const count = Object.keys(world.jobs).length;
    expect(actOnJob(world, "retry", job.id).rule.code).toBe("job_not_retryable");
    expect(Object.keys(world.jobs)).toHaveLength(count);
  });

  test("of a fix job needs the fix scope too", () => {
    const world = demoWorld();
    const fix = submitJob(world, { body: { workflow: "fix", params: { ref: "SERVICE-1" } } });
    finish(world, fix.id, "failure");
    expect(actOnJob(world, "retry", fix.id, "no_fix").rule.code).toBe("insufficient_scope");
  });
});

describe("a repeated submission", () => {
  test.each<[string, CallParts, string, number]>([
    ["in flight", {}, "none", 200],
    ["in flight, with force", { query: { force: true } }, "none", 200],
    ["just completed", {}, "success", 200],
    ["just completed, with force", { query: { force: true } }, "success", 201],
    ["just failed", {}, "failure", 201],
    ["just cancelled", {}, "cancelled", 201],
    ["in flight on another repository", { params: api }, "none", 201],
    ["in flight with other params", { body: { workflow: "audit", params: { paths: ["src"] } } }, "none", 201],
    ["in flight as another workflow", { body: { workflow: "standard_audit", params: {} } }, "none", 201],
  ])("and is %s answers as the contract says", (_, repeatedCallParts, end, status) => {
    const world = demoWorld();
    const job = end === "none" ? submitJob(world) : endJob(world, end);
    const response = submit(world, repeatedCallParts);
    expect(response.status).toBe(status);
    if (status === 200) expect(response.body).toMatchObject({ id: job.id });
  });

  test("starts a new job after the soft window, or after a new head commit", () => {
    const lateWorld = demoWorld();
    endJob(lateWorld, "success");
    advance(lateWorld, { to: lateWorld.now + 599_000 });
    expect(submit(lateWorld).status).toBe(200);
    advance(lateWorld, { to: lateWorld.now + 1_000 });
    expect(submit(lateWorld).status).toBe(201);
    const world = demoWorld();
    submitJob(world);
    drives["push-commit"]!.run(world, { repo: "acme/web/main" });
    expect(submit(world).status).toBe(201);
  });

  test("is matched with its params' keys in any order", () => {
    const world = demoWorld();
    submitJob(world, { body: { workflow: "audit", params: { paths: ["a"], tools: ["b"] } } });
    expect(submit(world, { body: { workflow: "audit", params: { tools: ["b"], paths: ["a"] } } }).status).toBe(200);
  });
});

describe("an Idempotency-Key", () => {
  test("is kept for one day, so that a world does not grow without limit", () => {
    const world = demoWorld({ options: { limits: "off" } });
    for (let i = 0; i < 99; i++) submit(world, { idempotencyKey: `old-${i}` });
    advance(world, { to: world.now + 86_399_000 });
    submit(world, { idempotencyKey: "new-0" });
    expect(Object.keys(world.submissions)).toHaveLength(100);
    advance(world, { to: world.now + 1000 });
    for (let i = 1; i <= 100; i++) submit(world, { idempotencyKey: `new-${i}` });
    expect(Object.keys(world.submissions).filter((name) => !name.includes("new-"))).toEqual([]);
    expect(Object.keys(world.submissions)).toHaveLength(101);
  });

  test("returns the first job for 24 hours, even after it failed, then a new one", () => {
    const world = demoWorld();
    const job = submitJob(world, { idempotencyKey: "k" });
    finish(world, job.id, "failure");
    advance(world, { to: world.epoch + 24 * hour - 1 });
    expect(submit(world, { idempotencyKey: "k" })).toMatchObject({ status: 200, body: { id: job.id } });
    advance(world, { to: world.epoch + 24 * hour });
    expect(submit(world, { idempotencyKey: "k" }).status).toBe(201);
  });

  test.each([
    ["replay", 200],
    ["conflict", 409],
  ] as const)("sent with another body answers by the switch: %s", (idempotency_mismatch, status) => {
    const world = demoWorld({ options: { idempotency_mismatch } });
    submitJob(world, { idempotencyKey: "k" });
    expect(submit(world, { idempotencyKey: "k", body: { workflow: "discover", params: {} } }).status).toBe(status);
  });

  test("is not shared between workspaces", () => {
    const world = demoWorld();
    submitJob(world, { idempotencyKey: "k" });
    const theirs = Object.values(world.repos).find((repo) => repo.workspace === world.keys.key_free!.workspace)!;
    const params = { owner: theirs.owner, repo: theirs.repo, branch: theirs.branch };
    expect(submit(world, { as: "free", idempotencyKey: "k", params }).status).toBe(201);
  });
});

describe("a submission", () => {
  test.each<[string, CallParts, number, string]>([
    ["the retired mini_audit", { body: { workflow: "mini_audit", params: {} } }, 422, "invalid_payload"],
    ["an unknown workflow", { body: { workflow: "constructor", params: {} } }, 422, "invalid_payload"],
    ["params that the workflow does not take", { body: { workflow: "audit", params: { nonsense: 1 } } }, 422, "invalid_payload"],
    ["a private beta that is off", { body: { workflow: "task", params: { directive: "Tidy up" } } }, 403, "feature_not_enabled"],
    [
      "a fix without the fix scope",
      { as: "no_fix", body: { workflow: "fix", params: { ref: "SERVICE-1" } } },
      403,
      "insufficient_scope",
    ],
    ["anything with view scopes only", { as: "viewer" }, 403, "insufficient_scope"],
  ])("is not %s", (_, parts, status, code) => {
    const response = submit(demoWorld(), parts);
    expect(response).toMatchObject({ status, rule: { code } });
  });

  test("has no errors array when the workflow refuses its params, and one when the schema fails", () => {
    const semantic = submit(demoWorld(), { body: { workflow: "audit", params: { nonsense: 1 } } });
    expect(semantic.body).not.toHaveProperty("error.errors");
    const schema = submit(demoWorld(), { body: { workflow: 7 } });
    expect(schema.body).toHaveProperty("error.errors");
  });

  test("lists the plan's workflows when it refuses one, including the internal verb", () => {
    const world = demoWorld();
    world.plans.paid.workflows = ["audit", "mini_audit"];
    const serviceResponse = submit(world, { body: { workflow: "publish", params: {} } });
    expect(serviceResponse).toMatchObject({
      status: 402,
      body: { error: { type: "billing_error", details: { allowed_workflows: ["audit", "mini_audit"] } } },
    });
    expect(submit(world, { body: { workflow: "mini_audit", params: {} } }).status).toBe(422);
  });

  test("accepts a beta workflow where it is enabled", () => {
    const world = demoWorld();
    const theirs = Object.values(world.repos).find((repo) => repo.workspace === world.keys.key_beta!.workspace)!;
    const params = { owner: theirs.owner, repo: theirs.repo, branch: theirs.branch };
    expect(submit(world, { as: "beta", params, body: { workflow: "task", params: { directive: "Tidy up" } } }).status).toBe(201);
  });
});

test("gives identical bytes for the same fixture, seed and calls", () => {
  const run = () => {
    const world = demoWorld({ seed: 42 });
    const responses = [submit(world), submit(world, { params: api }), perform(world, call("GET /api/jobs"))];
    advance(world, { until: "idle" });
    return JSON.stringify([responses, world]);
  };
  expect(run()).toBe(run());
});

test("gives other ids for another seed", () => {
  expect((submit(demoWorld({ seed: 1 })).body as JobBody).id).not.toBe((submit(demoWorld({ seed: 2 })).body as JobBody).id);
});

function submit(world: World, parts: CallParts = {}) {
  return perform(world, call(jobs, { params: web, body: { workflow: "audit", params: {} }, ...parts }));
}

function submitJob(world: World, parts: CallParts = {}): JobBody {
  const response = submit(world, parts);
  expect(response.status).toBe(201);
  return response.body as JobBody;
}

function endJob(world: World, end: string): JobBody {
  const job = submitJob(world);
  if (end === "cancelled") actOnJob(world, "cancel", job.id);
  else finish(world, job.id, end);
  return job;
}

function finish(world: World, job_id: string, outcome: string): void {
  expect(drives["finish-job"]!.run(world, { job_id, outcome })).toHaveProperty("result");
}

function actOnJob(world: World, verb: "cancel" | "retry", job_id: string, as = "full") {
  return perform(world, call(`POST /api/jobs/{job_id}/${verb}`, { as, params: { job_id } }));
}

function getStatus(world: World, job_id: string): string {
  return (perform(world, call("GET /api/jobs/{job_id}", { params: { job_id } })).body as JobBody).status;
}
