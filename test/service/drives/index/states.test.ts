import { describe, expect, test } from "vitest";
import { contract } from "../../../../src/contract/load.js";
import type { RouteName } from "../../../../src/contract/types.js";
import { drives } from "../../../../src/service/drives/index.js";
import { createObservation, type ObservationFields } from "../../../../src/service/observations/observations.js";
import { perform } from "../../../../src/service/perform.js";
import type { Job, World } from "../../../../src/service/world/world.js";
import { call, demoWorld } from "../../world.js";

/** Puts an object into a state. Returns the arguments of the event. */
type State = (world: World) => Record<string, unknown>;

/** One event in one state: `true` where it is accepted, else a part of the reason. */
type Row = readonly [state: string, prepare: State, outcome: true | RegExp];

const path = "acme/web/main";
const web = { owner: "acme", repo: "web", branch: "main" };
const location = { file_path: "src/a.ts", symbol: null, line_start: 1, line_end: 2 };

const observation =
  (parts: ObservationFields = {}, ...events: string[]): State =>
  (world) => {
    const repo = Object.values(world.repos).find(({ slug }) => slug === "web@main")!;
    const { ref } = createObservation(world, repo, { kind: "finding", locations: [location], ...parts });
    for (const event of events) expect(drives[event]!.run(world, { ref, without_job: true })).toHaveProperty("result");
    return { ref };
  };
const fixing =
  (...routes: RouteName[]): State =>
  (world) => {
    const { ref } = observation()(world) as { ref: string };
    expect(perform(world, call("POST /api/observations/{ref}/fix", { params: { ref } })).status).toBe(201);
    const body = { dismissal_category: "other", dismissal_note: "Not worth the work." };
    for (const route of routes) expect(perform(world, call(route, { params: { ref }, body })).status).toBe(200);
    return { ref };
  };
const job =
  (status: Job["status"], args: Record<string, unknown> = { outcome: "success" }): State =>
  (world) => {
    const { id } = perform(
      world,
      call("POST /api/repos/{owner}/{repo}/{branch}/jobs", { params: web, body: { workflow: "audit", params: {} } }),
    ).body as Job;
    world.jobs[id]!.status = status;
    return { job_id: id, ...args };
  };
const given = (args: Record<string, unknown>, ...before: [event: string, args: Record<string, unknown>][]): State => {
  return (world) => {
    for (const [event, values] of before) expect(drives[event]!.run(world, values)).toHaveProperty("result");
    return args;
  };
};
const removedRepo: State = (world) => {
  expect(perform(world, call("DELETE /api/repos/{owner}/{repo}/{branch}", { params: web })).status).toBe(204);
  return { repo: path };
};
const ofRemovedRepo: State = (world) => {
  const args = observation({}, "open-fix-pr")(world);
  removedRepo(world);
  return args;
};
const withOption =
  (state: State, args: Record<string, unknown>): State =>
  (world) => ({ ...state(world), ...args });
const without = { without_job: true };

const unknownObservation: Row[] = [
  ["an unknown observation", given({ ref: "SERVICE-0" }), /no observation SERVICE-0/],
  ["an observation of a removed repository", ofRemovedRepo, /no observation/],
];
const unknownRepo: Row[] = [
  ["an unknown repository", given({ repo: "acme/none/main" }), /no repository acme\/none\/main/],
  ["a removed repository", removedRepo, /no repository/],
];
const pullRequest: Row[] = [
  ["an open fix PR", observation({}, "open-fix-pr"), true],
  ["a fix PR in revision", observation({}, "open-fix-pr", "revise-fix-pr"), true],
  ["an open fix PR of an observation that was closed", observation({}, "open-fix-pr", "expire-observation"), true],
  ["no fix", observation(), /has no fix PR/],
  ["a fix job in flight", fixing(), /has no fix PR/],
  ["a merged fix PR", observation({}, "open-fix-pr", "merge-fix-pr"), /is merged already/],
  ["a closed fix PR", observation({}, "open-fix-pr", "close-fix-pr"), /is closed already/],
  ["an advisory", observation({ kind: "advisory" }), /has no fix PR/],
  ["a closed observation without a fix PR", observation({ status: "closed" }), /has no fix PR/],
  ...unknownObservation,
];
const switched = (event: string): Row[] => [
  ["off", given({ on: true }), true],
  ["on already: the argument is the target state", given({ on: true }, [event, { on: true }]), true],
  ["off already: the argument is the target state", given({ on: false }), true],
];

const table: Record<string, Row[]> = {
  "finish-job": [
    ["a pending job", job("pending"), true],
    ["a running job", job("running"), true],
    ["a completed job", job("completed"), /is completed\. Only a pending or running job/],
    ["a failed job", job("failed"), /is failed\. Only/],
    ["a cancelled job", job("cancelled"), /is cancelled\. Only/],
    ["an unknown job", given({ job_id: "job_none", outcome: "success" }), /no job job_none/],
  ],
  "open-fix-pr": [
    ["a fix job in flight", fixing(), true],
    ["no fix", observation(), /has no fix in progress\. Start one with POST/],
    ["no fix, without a job", withOption(observation(), without), true],
    ["a suggestion, without a job", withOption(observation({ kind: "suggestion" }), without), true],
    ["an advisory", observation({ kind: "advisory" }), /no fix can be started: an advisory/],
    ["an advisory, without a job", withOption(observation({ kind: "advisory" }), without), /no fix can be started: an advisory/],
    [
      "a workflow file, without a job",
      withOption(observation({ locations: [{ ...location, file_path: ".github/workflows/a.yml" }] }), without),
      /workflow file/,
    ],
    ["an open fix PR", observation({}, "open-fix-pr"), /has an open fix PR already/],
    ["a closed fix PR", observation({}, "open-fix-pr", "close-fix-pr"), /has no fix in progress/],
    ["a closed fix PR, without a job", withOption(observation({}, "open-fix-pr", "close-fix-pr"), without), true],
    ["a closed observation", withOption(observation({ status: "closed" }), without), /is closed\. A fix PR opens only/],
    [
      "a closed observation with a fix job in flight",
      fixing("POST /api/observations/{ref}/dismiss"),
      /is closed\. A fix PR opens only/,
    ],
    ...unknownObservation,
  ],
  "revise-fix-pr": pullRequest,
  "merge-fix-pr": pullRequest,
  "close-fix-pr": pullRequest,
  find: [["a repository", given({ repo: path }), true], ...unknownRepo],
  rediscover: [
    ["a repository", given({ repo: path }), true],
    ["a repository in which nothing can come back", given({ repo: path }, ["rediscover", { repo: path }]), true],
    ...unknownRepo,
  ],
  "push-commit": [["a repository", given({ repo: path }), true], ...unknownRepo],
  "seed-observations": [["a repository", given({ repo: path, count: 3 }), true], ...unknownRepo],
  "exhaust-fix": [
    ["an open finding", observation(), true],
    ["an open finding whose attempts are used up", observation({}, "exhaust-fix"), true],
    ["an open suggestion", observation({ kind: "suggestion" }), /Only an open finding/],
    ["an open advisory", observation({ kind: "advisory" }), /Only an open finding/],
    ["a closed finding", observation({ status: "closed" }), /Only an open finding/],
    ...unknownObservation,
  ],
  "expire-observation": [
    ["an open observation", observation(), true],
    ["an open observation with an open fix PR", observation({}, "open-fix-pr"), true],
    ["an expired observation", observation({}, "expire-observation"), /Only an open observation expires/],
    ["a dismissed observation", observation({ status: "closed" }), /Only an open observation expires/],
    ...unknownObservation,
  ],
  suspend: [
    ["an active workspace", given({ workspace: "acme" }), true],
    ["a suspended workspace", given({ workspace: "gone-quiet" }), /gone-quiet is suspended already/],
    ["an unknown workspace", given({ workspace: "none" }), /no workspace none/],
  ],
  reactivate: [
    ["a suspended workspace", given({ workspace: "gone-quiet" }), true],
    ["an active workspace", given({ workspace: "acme" }), /acme is active already/],
    ["an unknown workspace", given({ workspace: "none" }), /no workspace none/],
  ],
  "revoke-key": [
    ["a live key", given({ key_id: "key_viewer" }), true],
    ["an expired key", given({ key_id: "key_expired" }), true],
    ["a revoked key", given({ key_id: "key_viewer" }, ["revoke-key", { key_id: "key_viewer" }]), /is revoked already/],
    ["an unknown key", given({ key_id: "key_none" }), /no key key_none/],
  ],
  "set-credit": [
    ["a workspace with credit", given({ usd: 0 }), true],
    [
      "a workspace with that credit already: the argument is the state to reach",
      given({ usd: 0 }, ["set-credit", { usd: 0 }]),
      true,
    ],
    ["an unknown workspace", given({ usd: 0, workspace: "none" }), /no workspace none/],
  ],
  "set-spend-ceiling": [
    ["a workspace without a ceiling", given({ usd: 1 }), true],
    ["a workspace with that ceiling already", given({ usd: 1 }, ["set-spend-ceiling", { usd: 1 }]), true],
    ["an unknown workspace", given({ usd: 1, workspace: "none" }), /no workspace none/],
  ],
  "pause-spend": [
    ...switched("pause-spend"),
    ["an unknown workspace", given({ on: true, workspace: "none" }), /no workspace none/],
  ],
  "fail-verification": switched("fail-verification"),
};

test("each event has its rows, at least one of them accepted", () => {
  expect(Object.keys(table).sort()).toEqual(Object.keys(drives).sort());
  expect(Object.keys(table).sort()).toEqual(Object.keys(contract.events).sort());
  for (const [event, rows] of Object.entries(table))
    expect(
      rows.map(([, , outcome]) => outcome),
      event,
    ).toContain(true);
});

describe.each(Object.entries(table))("the event %s", (event, rows) => {
  test.each(rows)("with %s", (_, prepare, outcome) => {
    const world = demoWorld();
    const args = {
      ...(event === "finish-job" && { outcome: "success" }),
      ...(event === "seed-observations" && { count: 1 }),
      ...prepare(world),
    };
    const worldBefore = structuredClone(world);
    const result = drives[event]!.run(world, args);
    if (outcome === true) return expect(result).toHaveProperty("result");
    expect(result).toEqual({
      problem: expect.stringMatching(outcome),
      field: expect.any(String),
      // an unknown name is a mistake in the arguments; a wrong state is a conflict
      ...(!outcome.source.startsWith("no ") || outcome.source.startsWith("no fix") ? { status: 409 } : {}),
    });
    expect(world).toEqual(worldBefore);
  });
});

test("find adds a fixable finding, with any seed", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const world = demoWorld({ seed });
    const { result } = drives.find!.run(world, { repo: path }) as { result: { ref: string; kind: string } };
    expect(result.kind).toBe("finding");
    expect(perform(world, call("POST /api/observations/{ref}/fix", { params: { ref: result.ref } })).status, `seed ${seed}`).toBe(
      201,
    );
  }
});
