import { describe, expect, test } from "vitest";
import { advance } from "../../../src/service/advance.js";
import { drives } from "../../../src/service/drives/index.js";
import { createObservation, type ObservationFields } from "../../../src/service/observations/observations.js";
import { perform } from "../../../src/service/perform.js";
import type { World } from "../../../src/service/world/world.js";
import { call, demoWorld } from "../world.js";

const fixRoute = "POST /api/observations/{ref}/fix";
const lane = "GET /api/repos/{owner}/{repo}/{branch}/fix-prs";
const web = { owner: "acme", repo: "web", branch: "main" };
const source: ObservationFields = {
  kind: "finding",
  locations: [{ file_path: "src/a.ts", symbol: null, line_start: 1, line_end: 2 }],
};
const workflow = { file_path: ".github/workflows/ci.yml", symbol: null, line_start: 1, line_end: 2 };

interface Spawn {
  observation: { ref: string; status: string };
  attempt_id: string;
  job_id: string;
}

describe("a fix", () => {
  test("starts a fix job and an attempt, and leaves the observation in the list of new ones", () => {
    const { world, ref } = worldWith(source);
    const credit = world.workspaces.acme!.credit_usd;
    const response = fix(world, ref);
    expect(response).toMatchObject({ status: 201, body: { observation: { ref, status: "new" } } });
    const { attempt_id, job_id } = response.body as Spawn;
    expect(job(world, job_id)).toMatchObject({ workflow: "fix", status: "pending", repo_name: "web@main" });
    expect(world.jobs[job_id]!.params).toEqual({ ref });
    expect(world.attempts[attempt_id]).toMatchObject({ observation: ref, job: job_id });
    expect(world.workspaces.acme!.credit_usd).toBeCloseTo(credit - world.runs.fix.cost_usd);
    expect(inNew(world, ref)).toBe(true);
  });

  test("in flight answers 200 and starts nothing, whether pending, running or retried", () => {
    const { world, ref } = worldWith(source);
    const first = fix(world, ref).body as Spawn;
    expect(fix(world, ref)).toMatchObject({ status: 200, body: { attempt_id: first.attempt_id, job_id: first.job_id } });
    advance(world, { to: world.now + 30_000 });
    expect(fix(world, ref)).toMatchObject({ status: 200, body: { job_id: first.job_id } });
    drives["finish-job"]!.run(world, { job_id: first.job_id, outcome: "failure" });
    const retry = perform(world, call("POST /api/jobs/{job_id}/retry", { params: { job_id: first.job_id } })).body as {
      id: string;
    };
    const jobs = Object.keys(world.jobs).length;
    expect(fix(world, ref)).toMatchObject({ status: 200, body: { attempt_id: first.attempt_id, job_id: retry.id } });
    expect(Object.keys(world.jobs)).toHaveLength(jobs);
    const reset = call("POST /api/repos/{owner}/{repo}/{branch}/reset", {
      params: { owner: "acme", repo: "web", branch: "main" },
      body: { history: true },
    });
    expect(perform(world, reset).status).toBe(200);
    expect(fix(world, ref), "though the parent of the retry is gone").toMatchObject({ status: 200, body: { job_id: retry.id } });
  });

  test("can be started again after it failed", () => {
    const { world, ref } = worldWith(source);
    const first = fix(world, ref).body as Spawn;
    drives["finish-job"]!.run(world, { job_id: first.job_id, outcome: "failure" });
    expect(inNew(world, ref)).toBe(true);
    const second = fix(world, ref);
    expect(second.status).toBe(201);
    expect((second.body as Spawn).attempt_id).not.toBe(first.attempt_id);
  });

  test.each<[string, ObservationFields, string]>([
    ["that is closed", { ...source, close_reason: "completed" }, "observation_not_fixable"],
    ["of kind advisory", { ...source, kind: "advisory" }, "observation_not_fixable"],
    ["with a fix PR in review", { ...source, fix_pr: { url: "u", status: "in_review" } }, "observation_not_fixable"],
    ["with a fix PR in revision", { ...source, fix_pr: { url: "u", status: "revising" } }, "observation_not_fixable"],
    ["in a workflow file", { kind: "finding", locations: [workflow] }, "observation_fix_targets_workflow_file"],
    [
      "in a workflow file too",
      { kind: "finding", locations: [source.locations![0]!, workflow] },
      "observation_fix_targets_workflow_file",
    ],
    [
      "in a workflow file, and closed",
      { kind: "finding", locations: [workflow], close_reason: "expired" },
      "observation_not_fixable",
    ],
  ])("of an observation %s is refused and starts nothing", (_, parts, code) => {
    const { world, ref } = worldWith(parts);
    const before = structuredClone({ jobs: world.jobs, workspaces: world.workspaces, observations: world.observations });
    expect(fix(world, ref)).toMatchObject({ status: 422, body: { error: { type: "invalid_request_error", code } }, changes: [] });
    expect(world).toMatchObject(before);
  });

  test.each([
    ["that its fix PR was closed unmerged", { fix_pr: { url: "u", status: "closed" } }],
    ["that it is a suggestion", { kind: "suggestion" }],
  ] as [string, ObservationFields][])("accepts %s", (_, parts) => {
    const { world, ref } = worldWith({ ...source, ...parts });
    expect(fix(world, ref).status).toBe(201);
  });

  test.each([
    ["viewer", "insufficient_scope"],
    ["no_fix", "insufficient_scope"],
  ])("is refused to the key %s", (as, code) => {
    const { world, ref } = worldWith(source);
    expect(fix(world, ref, as).rule.code).toBe(code);
  });

  test("needs credit, except for one in flight", () => {
    const { world, ref } = worldWith(source);
    const other = createObservation(world, getRepo(world), source).ref;
    fix(world, ref);
    world.workspaces.acme!.credit_usd = 0;
    expect(fix(world, other)).toMatchObject({ status: 402, rule: { code: "insufficient_credit" } });
    expect(fix(world, ref).status).toBe(200);
  });

  test("of an observation of another workspace is not found", () => {
    const { world, ref } = worldWith(source);
    expect(fix(world, ref, "free").status).toBe(404);
  });
});

describe("a fix pull request", () => {
  test("opens when the run succeeds, and moves the observation from the new ones to the lane", () => {
    const { world, ref } = worldWith(source);
    const { job_id } = fix(world, ref).body as Spawn;
    advance(world, { until: "idle" });
    expect(read(world, ref)).toMatchObject({ status: "new", fix_pr: { status: "in_review" } });
    expect(job(world, job_id).fix_pr_url).toBe(world.observations[ref]!.fix_pr!.url);
    expect(inNew(world, ref)).toBe(false);
    expect(inNew(world, ref, { has_fix_pr: true })).toBe(false);
    expect(isListed(world, ref, { has_fix_pr: true })).toBe(true);
    expect(getLane(world, ref)).toBe("in_review");
  });

  test.each<[string, string[], Record<string, unknown>, boolean, string | undefined]>([
    ["opened", ["open"], { status: "new" }, false, "in_review"],
    ["revised", ["open", "revise"], { status: "new" }, false, "revising"],
    ["merged", ["open", "merge"], { status: "closed", close_reason: "fixed" }, false, "merged"],
    ["merged after revision", ["open", "revise", "merge"], { status: "closed", close_reason: "fixed" }, false, "merged"],
    ["closed unmerged", ["open", "close"], { status: "new" }, true, undefined],
    ["opened anew", ["open", "close", "open"], { status: "new" }, false, "in_review"],
  ])("%s shows the right status", (_, events, shown, isNew, laneStatus) => {
    const { world, ref } = worldWith(source);
    for (const event of events) expect(drive(world, event, ref)).toHaveProperty("result");
    expect(read(world, ref)).toMatchObject(shown);
    expect(inNew(world, ref)).toBe(isNew);
    expect(isListed(world, ref, { has_fix_pr: true })).toBe(true);
    expect(getLane(world, ref)).toBe(laneStatus);
  });

  test.each([
    ["open", ["open"]],
    ["open", ["open", "merge"]],
    ["revise", []],
    ["merge", []],
    ["close", ["open", "merge"]],
    ["merge", ["open", "close"]],
  ])("cannot %s after %j, and nothing changes", (event, before) => {
    const { world, ref } = worldWith(source);
    for (const earlier of before) drive(world, earlier, ref);
    const row = structuredClone(world.observations[ref]);
    expect(drive(world, event, ref)).toHaveProperty("problem");
    expect(world.observations[ref]).toEqual(row);
  });

  test("opened while a fix is in flight belongs to that run", () => {
    const { world, ref } = worldWith(source);
    const { job_id } = fix(world, ref).body as Spawn;
    drive(world, "open", ref);
    expect(job(world, job_id)).toMatchObject({ status: "completed", fix_pr_url: world.observations[ref]!.fix_pr!.url });
  });

  test("is not opened by a run after its observation was closed", () => {
    const { world, ref } = worldWith(source);
    const { job_id } = fix(world, ref).body as Spawn;
    perform(world, call("POST /api/observations/{ref}/complete", { params: { ref } }));
    advance(world, { until: "idle" });
    expect(job(world, job_id)).toMatchObject({ status: "completed", fix_pr_url: null });
    expect(read(world, ref)).toMatchObject({ status: "closed", close_reason: "completed", fix_pr: null });
  });

  test("merged after a dismissal keeps the close reason", () => {
    const { world, ref } = worldWith(source);
    drive(world, "open", ref);
    const body = { dismissal_category: "wont_fix", dismissal_note: "Not worth it, thanks." };
    perform(world, call("POST /api/observations/{ref}/dismiss", { params: { ref }, body }));
    drive(world, "merge", ref);
    expect(read(world, ref)).toMatchObject({ close_reason: "dismissed", fix_pr: { status: "merged" } });
  });
});

describe("a drive event", () => {
  test("exhaust-fix sets needs_review, and dismisses only with dismiss: true", () => {
    const { world, ref } = worldWith(source);
    expect(drives["exhaust-fix"]!.run(world, { ref })).toMatchObject({ result: { status: "new", needs_review: true } });
    expect(isListed(world, ref, { kind: "finding", status: "new", needs_review: true })).toBe(true);
    drives["exhaust-fix"]!.run(world, { ref, dismiss: true });
    expect(read(world, ref)).toMatchObject({ close_reason: "dismissed", dismissal_category: "exhausted_fix_attempts" });
    expect(isListed(world, ref, { needs_review: true })).toBe(false);
  });

  test.each([
    ["exhaust-fix", { kind: "suggestion" }],
    ["exhaust-fix", { close_reason: "fixed" }],
    ["expire-observation", { close_reason: "fixed" }],
  ] as [string, ObservationFields][])("%s is refused on %j", (event, parts) => {
    const { world, ref } = worldWith(parts);
    expect(drives[event]!.run(world, { ref })).toHaveProperty("problem");
  });

  test("an observation expires", () => {
    const { world, ref } = worldWith(source);
    expect(drives["expire-observation"]!.run(world, { ref })).toMatchObject({ result: { close_reason: "expired" } });
  });

  test("find adds a new observation with the given fields, first in the list", () => {
    const world = demoWorld();
    const observation = { kind: "finding", priority: "P0", domain: "ux", title: "Found now" };
    const outcome = drives.find!.run(world, { repo: "acme/web/main", observation }) as { result: { ref: string } };
    expect(outcome.result).toMatchObject({ ...observation, status: "new", repo_name: "web@main" });
    expect(refs(world, {})[0]).toBe(outcome.result.ref);
  });

  test.each(["find", "rediscover", "seed-observations"])("%s refuses an unknown repository", (event) => {
    expect(drives[event]!.run(demoWorld(), { repo: "acme/none/main", count: 1 })).toHaveProperty("problem");
  });

  test("seeded observations are the same for the same seed, and cover every combination of kind, priority, category and domain", () => {
    const [one, two] = [1, 1].map((seed) => {
      const world = demoWorld({ seed });
      drives["seed-observations"]!.run(world, { repo: "acme/web/main", count: 600 });
      return world;
    }) as [World, World];
    expect(one.observations).toEqual(two.observations);
    const mixtures = Object.values(one.observations).map((o) => [o.kind, o.priority, o.category, o.domain].join());
    expect(new Set(mixtures).size).toBe(3 * 4 * 6 * 7);
  });
});

function worldWith(parts: ObservationFields): { world: World; ref: string } {
  const world = demoWorld();
  return { world, ref: createObservation(world, getRepo(world), parts).ref };
}

function getRepo(world: World) {
  return Object.values(world.repos).find((repo) => repo.owner === "acme" && repo.repo === "web")!;
}

function fix(world: World, ref: string, as = "full") {
  return perform(world, call(fixRoute, { as, params: { ref } }));
}

function drive(world: World, event: string, ref: string) {
  return drives[`${event}-fix-pr`]!.run(world, { ref, ...(event === "open" && { without_job: true }) });
}

function job(world: World, job_id: string): Record<string, unknown> {
  return perform(world, call("GET /api/jobs/{job_id}", { params: { job_id } })).body as Record<string, unknown>;
}

function read(world: World, ref: string): Record<string, unknown> {
  return perform(world, call("GET /api/observations/{ref}", { params: { ref } })).body as Record<string, unknown>;
}

function inNew(world: World, ref: string, query: Record<string, boolean> = {}): boolean {
  return isListed(world, ref, { status: "new", ...query });
}

function isListed(world: World, ref: string, query: Record<string, string | boolean>): boolean {
  return refs(world, query).includes(ref);
}

/** Returns the first 200 refs, which include new and changed ones. */
function refs(world: World, query: Record<string, string | boolean>): string[] {
  const response = perform(world, call("GET /api/observations", { query: { ...query, limit: 200 } }));
  return (response.body as { data: { ref: string }[] }).data.map((row) => row.ref);
}

function getLane(world: World, ref: string): string | undefined {
  const response = perform(world, call(lane, { params: web, query: { limit: 200 } }));
  return (response.body as { data: { ref: string; status: string }[] }).data.find((entry) => entry.ref === ref)?.status;
}
