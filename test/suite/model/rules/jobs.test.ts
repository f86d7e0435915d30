import { describe, expect, test } from "vitest";
import { findStatesAfterNoResponse } from "../../../../src/suite/model/rules/branches.js";
import type { ModelRequest } from "../../../../src/suite/model/rules/request.js";
import type { States } from "../../../../src/suite/model/rules/states.js";
import { advanceTime } from "../../../../src/suite/model/rules/time.js";
import type { JobStatus } from "../../../../src/suite/statements/jobs.js";
import { type Exchange, freshStates, job, judgeExchanges, refusal, rest, toolResponse } from "../responses.js";

const full = { by: "rest", as: "full" } as const;
const cancel: ModelRequest = { ...full, what: "POST /api/jobs/{job_id}/cancel", job: "j" };
const retry: ModelRequest = { ...full, what: "POST /api/jobs/{job_id}/retry", job: "j", names: "k" };
const read: ModelRequest = { ...full, what: "GET /api/jobs/{job_id}", job: "j" };
const submit: ModelRequest = {
  ...full,
  what: "POST /api/repos/{owner}/{repo}/{branch}/jobs",
  repo: "repo",
  with: { workflow: "audit", params: {} },
  names: "k",
};
const forcedModelRequest: ModelRequest = { ...submit, query: { force: "true" } };
const modelRequest: ModelRequest = { ...submit, headers: { "idempotency-key": "once" } };
const view = (id: string, status: string, workflow = "audit") => ({ id, status, workflow, repo_name: "slug" });
const of = (...possible: JobStatus[]): States => ({ ...freshStates, jobs: { j: job(possible) } });
const conflict = refusal(409, "conflict");

const allowed: [what: string, states: States, exchanges: Exchange[], left: Record<string, JobStatus[]>][] = [
  [
    "a pending job is cancelled",
    of("pending"),
    [
      [cancel, rest(200)],
      [read, rest(200, view("j", "cancelled"))],
    ],
    { j: ["cancelled"] },
  ],
  [
    "a cancellation takes a while",
    of("running"),
    [
      [cancel, rest(202)],
      [read, rest(200, view("j", "running"))],
    ],
    { j: ["running"] },
  ],
  ["a completed job is not cancelled", of("completed"), [[cancel, conflict]], { j: ["completed"] }],
  ["a completed job is answered as it is", of("completed"), [[cancel, rest(200, view("j", "completed"))]], { j: ["completed"] }],
  [
    "a cancellation that is refused tells that the run was over",
    of("running", "completed"),
    [[cancel, conflict]],
    { j: ["completed"] },
  ],
  ["a failed job is retried", of("failed"), [[retry, rest(201, view("k", "pending"))]], { j: ["failed"], k: ["pending"] }],
  [
    "a job that may have failed is retried: it had",
    of("running", "failed"),
    [[retry, rest(201, view("k", "pending"))]],
    { j: ["failed"], k: ["pending"] },
  ],
  ["a running job is not retried", of("running"), [[retry, refusal(422, "invalid_request_error")]], { j: ["running"] }],
  ["a retry is not paid for", of("failed"), [[retry, refusal(402, "billing_error")]], { j: ["failed"] }],
  ["work in flight answers for the same work", of("running"), [[submit, rest(200, view("j", "running"))]], { j: ["running"] }],
  [
    "work that may have failed does not",
    of("running", "failed"),
    [[submit, rest(201, view("k", "pending"))]],
    { j: ["failed"], k: ["pending"] },
  ],
  [
    "forced work is new when the other has ended",
    of("completed"),
    [[forcedModelRequest, rest(201, view("k", "pending"))]],
    { j: ["completed"], k: ["pending"] },
  ],
  [
    "a tool tells the status among other words",
    of("running", "completed"),
    [[{ ...read, by: "tool" }, toolResponse("job j of slug: audit, completed")]],
    { j: ["completed"] },
  ],
  [
    "a repeated key answers with the first job",
    { ...freshStates },
    [
      [modelRequest, rest(201, view("k", "pending"))],
      [{ ...cancel, job: "k" }, rest(200)],
      [{ ...modelRequest, names: "l" }, rest(200, view("k", "cancelled"))],
    ],
    { k: ["cancelled", "pending"] },
  ],
];

test.each(allowed)("allows: %s", (_, states, exchanges, left) => {
  const result = judgeExchanges(states, exchanges);
  if (!("states" in result)) throw new Error(JSON.stringify(result));
  expect(Object.fromEntries(Object.entries(result.states.jobs).map(([name, { possible }]) => [name, possible]))).toEqual(left);
});

const contradictions: [what: string, states: States, exchanges: Exchange[], clause: string][] = [
  ["a running job cannot be cancelled", of("running"), [[cancel, conflict]], "JOB-CANCEL-RUNNING"],
  ["a pending job cannot be cancelled", of("pending"), [[cancel, refusal(404, "not_found")]], "JOB-CANCEL-PENDING"],
  ["cancelling an ended job fails", of("failed"), [[cancel, refusal(500, "server_error")]], "JOB-CANCEL-FINISHED"],
  [
    "cancelling an ended job changes it",
    of("failed"),
    [
      [cancel, rest(200)],
      [read, rest(200, view("j", "cancelled"))],
    ],
    "JOB-CANCEL-FINISHED",
  ],
  ["a completed job is retried", of("completed"), [[retry, rest(201, view("k", "pending"))]], "JOB-RETRY-INELIGIBLE"],
  ["a retry forgets the workflow", of("failed"), [[retry, rest(201, view("k", "pending", "discover"))]], "JOB-RETRY-WORKFLOW"],
  ["a retry is the parent", of("failed"), [[retry, rest(201, view("j", "pending"))]], "JOB-RETRY-NEW"],
  [
    "a second retry while one is in flight",
    of("failed"),
    [
      [retry, rest(201, view("k", "pending"))],
      [{ ...retry, names: "l" }, rest(201, view("l", "pending"))],
    ],
    "JOB-RETRY-INFLIGHT",
  ],
  ["a job goes back", of("running"), [[read, rest(200, view("j", "pending"))]], "JOB-STATE-FORWARD"],
  ["the same work starts beside work in flight", of("running"), [[submit, rest(201, view("k", "pending"))]], "DEDUPE-INFLIGHT"],
  [
    "force starts the same work beside work in flight",
    of("running"),
    [[forcedModelRequest, rest(201, view("k", "pending"))]],
    "JOB-SUBMIT-FORCE-INFLIGHT",
  ],
  [
    "other work is answered with this job",
    of("running"),
    [[{ ...submit, with: { workflow: "discover", params: {} } }, rest(200, view("j", "running", "discover"))]],
    "DEDUPE-WORKFLOW-DIFFERS",
  ],
  ["a submission begins by running", freshStates, [[submit, rest(201, view("k", "running"))]], "JOB-STATE-INITIAL"],
  [
    "a submission answers another workflow",
    freshStates,
    [[submit, rest(201, view("k", "pending", "fix"))]],
    "JOB-SUBMIT-RESPONSE",
  ],
  ["a fault has another type than its status", freshStates, [[submit, refusal(402, "conflict")]], "ERR-TYPE-PAIRS"],
  ["an unknown job is there", freshStates, [[read, rest(200, view("j", "running"))]], "JOB-ID-UNKNOWN"],
  [
    "a viewer cancels nothing and retries all the same",
    of("failed"),
    [[{ ...retry, as: "viewer" }, rest(201, view("k", "pending"))]],
    "SCOPE-VIEW-SUBMIT",
  ],
  ["a key that has ended reads", of("failed"), [[{ ...read, as: "expired" }, rest(200, view("j", "failed"))]], "KEY-EXPIRY-401"],
  ["another workspace reads", of("failed"), [[{ ...read, as: "free" }, rest(200, view("j", "failed"))]], "JOB-ID-UNKNOWN"],
  [
    "a tool tells another status",
    of("cancelled"),
    [[{ ...read, by: "tool" }, toolResponse("job j: audit, pending")]],
    "JOB-STATE-FORWARD",
  ],
];

test.each(contradictions)("refuses: %s", (_, states, exchanges, clause) => {
  const result = judgeExchanges(states, exchanges);
  expect(result).toMatchObject({ at: exchanges.length - 1, clauses: expect.arrayContaining([clause]) });
});

describe("time", () => {
  test("a pending job may have any status except cancelled after a while, and keeps an observed status", () => {
    const later = advanceTime(of("pending"), 60_000);
    expect(later.jobs.j?.possible).toEqual(["pending", "running", "completed", "failed"]);
    expect(judgeExchanges(later, [[read, rest(200, view("j", "running"))]])).toMatchObject({
      states: { jobs: { j: { possible: ["running"] } } },
    });
    expect(judgeExchanges(later, [[read, rest(200, view("j", "cancelled"))]])).toMatchObject({ at: 0 });
  });

  test("another client may have cancelled it on a shared server", () => {
    expect(advanceTime({ ...of("pending"), fresh: false }, 1).jobs.j?.possible).toContain("cancelled");
  });

  test("a cancellation is visible after at most twenty seconds", () => {
    const result = judgeExchanges(of("running"), [[cancel, rest(200)]]);
    if (!("states" in result)) throw new Error("refused");
    expect(advanceTime(result.states, 10_000).jobs.j?.possible).toContain("running");
    expect(advanceTime(result.states, 21_000).jobs.j?.possible).toEqual(["cancelled"]);
  });

  test("an Idempotency-Key is valid for a day, uncertain at its end, and expired after it", () => {
    const result = judgeExchanges(freshStates, [[modelRequest, rest(201, view("k", "pending"))]]);
    if (!("states" in result)) throw new Error("refused");
    const ended = { ...result.states, jobs: { k: job(["failed"]) } };
    const repeatedWireResponse = rest(201, view("l", "pending"));
    const again = { ...modelRequest, names: "l" };
    const answered = (hours: number) =>
      "states" in judgeExchanges(advanceTime(ended, hours * 3_600_000), [[again, repeatedWireResponse]]);
    expect([23, 24, 25].map(answered)).toEqual([false, true, true]);
    expect("states" in judgeExchanges(advanceTime(ended, 25 * 3_600_000), [[again, rest(200, view("k", "failed"))]])).toBe(true);
  });
});

test("a request without an answer may or may not have been executed", () => {
  expect(findStatesAfterNoResponse(of("pending"), cancel).jobs.j?.possible).toEqual(["pending", "cancelled"]);
  const { repos, jobs } = findStatesAfterNoResponse(freshStates, submit);
  expect(jobs).toEqual({});
  expect(repos.repo?.ours).toBe(false);
});
