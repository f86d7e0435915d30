import { describe, expect, it } from "vitest";
import { showChanges } from "../../src/mock/journal/changes.js";
import { advance } from "../../src/service/advance.js";
import { drives } from "../../src/service/drives/index.js";
import { perform } from "../../src/service/perform.js";
import { setWorkMode } from "../../src/service/work.js";
import { listFinishedJobs } from "../../src/service/world/schedule.js";
import type { WorkMode, World } from "../../src/service/world/world.js";
import { callTool } from "./tools/call.js";
import { type CallParts, call, demoWorld } from "./world.js";

const web = { owner: "acme", repo: "web", branch: "main" };
const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const begun = demoWorld().now;

const world = (work: WorkMode) => demoWorld({ options: { work } });
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
const ask = (on: World, route: Parameters<typeof call>[0], parts: CallParts = {}): any => perform(on, call(route, parts)).body;
const start = (on: World, params: object = {}) => ask(on, submit, { params: web, body: { workflow: "audit", params } });
const getStatus = (on: World, job_id: string) => ask(on, "GET /api/jobs/{job_id}", { params: { job_id } }).status;

describe("work under at-once", () => {
  it("is pending in its own answer and completed before the next call, with a frozen clock", () => {
    const one = world("at-once");
    const { id, status } = start(one);
    expect(status).toBe("pending");
    expect(getStatus(one, id)).toBe("completed");
    expect(one.now).toBe(begun);
  });

  it("can still fail through a drive before that", () => {
    const one = world("at-once");
    const { id } = start(one);
    drives["finish-job"]!.run(one, { job_id: id, outcome: "failure" });
    expect(getStatus(one, id)).toBe("failed");
  });

  it("an audit adds findings, a fix opens its pull request, and a discovery follows a registration", () => {
    const one = world("at-once");
    start(one);
    ask(one, "GET /api/repos");
    const observation = Object.values(one.observations).at(-1)!;
    ask(one, "POST /api/observations/{ref}/fix", { params: { ref: "SERVICE-1" } });
    ask(one, "POST /api/repos", { body: { owner: "acme", repo: "new", branch: "main" } });
    const { data } = ask(one, "GET /api/repos/{owner}/{repo}/{branch}/jobs", { params: { ...web, repo: "new" } });
    expect(observation.created_at).toBe(begun);
    expect(one.observations["SERVICE-1"]!.fix_pr?.status).toBe("in_review");
    expect(data).toMatchObject([{ workflow: "discover" }]);
  });

  it("lists the changes before the call in the journal", () => {
    const one = world("at-once");
    const { id } = start(one);
    const { changes } = perform(one, call("GET /api/jobs/{job_id}", { params: { job_id: id } }));
    expect(
      showChanges(changes)
        .filter((change) => change.id === id)
        .map(({ to }) => to),
    ).toEqual(["running", "completed"]);
  });
});

describe("work under polls:N", () => {
  it.each<[number, string[]]>([
    [1, ["completed"]],
    [2, ["running", "completed"]],
    [4, ["running", "running", "running", "completed"]],
  ])("%i", (polls, seen) => {
    const one = world(`polls:${polls}`);
    const { id } = start(one);
    expect(seen.map(() => getStatus(one, id))).toEqual(seen);
    expect(one.now).toBe(begun);
  });

  it("counts a poll of one named job, and of every job for a list", () => {
    const one = world("polls:2");
    const [a, b] = [start(one).id, start(one, { paths: ["src"] }).id];
    expect([getStatus(one, a), one.jobs[b]!.status]).toEqual(["running", "pending"]);
    ask(one, "GET /api/jobs");
    expect([one.jobs[a]!.status, one.jobs[b]!.status]).toEqual(["completed", "running"]);
  });

  it("counts tool reads, but no writes, refused calls or other workspaces", () => {
    const one = world("polls:1");
    const { id } = start(one);
    ask(one, "POST /api/observations/{ref}/acknowledge", { params: { ref: "SERVICE-1" } });
    ask(one, "GET /api/jobs", { as: "expired" });
    ask(one, "GET /api/jobs", { as: "free" });
    ask(one, "GET /api/jobs/{job_id}", { as: "free", params: { job_id: id } });
    expect(one.jobs[id]!.status).toBe("pending");
    callTool(one, "job_status", { job_id: id });
    expect(one.jobs[id]!.status).toBe("completed");
  });

  it("does not change a cancelled job", () => {
    const one = world("polls:2");
    const { id } = start(one);
    ask(one, "POST /api/jobs/{job_id}/cancel", { params: { job_id: id } });
    expect([getStatus(one, id), getStatus(one, id)]).toEqual(["cancelled", "cancelled"]);
  });
});

describe("a change of the work mode applies to jobs in flight", () => {
  it.each<[WorkMode, WorkMode]>([
    ["time", "at-once"],
    ["polls:9", "at-once"],
    ["time", "polls:1"],
    ["polls:9", "polls:1"],
  ])("%s, then %s", (workModeBefore, workModeAfter) => {
    const one = world(workModeBefore);
    const { id } = start(one);
    if (workModeBefore.startsWith("polls")) getStatus(one, id);
    setWorkMode(one, workModeAfter);
    expect(getStatus(one, id)).toBe("completed");
  });

  it("a job ends only once: no earlier scheduled end remains", () => {
    const one = world("time");
    const { id } = start(one);
    drives["finish-job"]!.run(one, { job_id: start(one, { paths: ["src"] }).id, outcome: "failure" });
    advance(one, { to: one.now + 30_000 });
    setWorkMode(one, "at-once");
    expect(
      one.schedule.filter(
        (dueScheduledEvent) => dueScheduledEvent.event === "finish-job" && listFinishedJobs(dueScheduledEvent).includes(id),
      ),
    ).toHaveLength(1);
    expect(getStatus(one, id)).toBe("completed");
  });

  it("polls:9, then time: a job ends by the clock", () => {
    const one = world("polls:9");
    const [running, pending] = [start(one).id, start(one, { paths: ["src"] }).id];
    getStatus(one, running);
    setWorkMode(one, "time");
    const scheduledEvents = one.schedule.filter(({ event }) => event === "dispatch" || event === "finish-job");
    expect(scheduledEvents).toEqual(
      expect.arrayContaining([expect.objectContaining({ event: "dispatch" }), expect.objectContaining({ job: running })]),
    );
    expect(one.jobs[pending]!.status).toBe("pending");
  });
});
