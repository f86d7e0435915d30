import { type CorpusEntry, createCall, createRoutePoint, FIRST_SPARE, OLDER_ROW, SECOND_PAGE_ROW, submit } from "./entry.js";

const startJob = [submit, createCall("wait"), createCall("viewJob")];
const completeJob = [...startJob, createCall("finishJob")];
const failJob = [...startJob, createCall("finishJob", { outcome: "failure" })];
const cancel = createCall("cancel");
const retry = createCall("retry");

/** Entries for the job table. */
export const jobEntries: readonly CorpusEntry[] = [
  {
    points: ["job transitions/submit", "job transitions/pending: retry", "job transitions/pending: cancel"],
    commands: [submit, retry, cancel, createCall("wait"), createCall("viewJob")],
  },
  {
    points: ["job transitions/cancelled: cancel", "job transitions/cancelled: retry"],
    commands: [submit, cancel, cancel, retry, createCall("viewJob", { job: OLDER_ROW })],
  },
  {
    points: ["job transitions/pending: dispatch", "job transitions/running: retry", "job transitions/running: cancel"],
    commands: [
      ...startJob,
      createCall("wait"),
      createCall("viewJob"),
      retry,
      cancel,
      createCall("wait"),
      createCall("viewJob", { surface: "tool" }),
    ],
  },
  {
    points: ["job transitions/running: succeed", "job transitions/completed: cancel", "job transitions/completed: retry"],
    commands: [...completeJob, cancel, createCall("viewJob"), retry, createCall("viewJob")],
  },
  {
    points: ["job transitions/running: fail", "job transitions/failed: cancel", "job transitions/failed: retry"],
    commands: [...failJob, cancel, retry, createCall("viewJob"), createCall("listJobs")],
  },
  {
    points: ["job transitions/completed: stays"],
    commands: [
      ...completeJob,
      createCall("wait", { seconds: "a minute" }),
      createCall("viewJob"),
      createCall("wait", { seconds: "an hour" }),
      createCall("viewJob"),
    ],
  },
  ...["standard_audit", "discover"].map((workflow) => ({
    points: ["job transitions/retry after the last retry has ended"],
    commands: [
      createCall("submit", { force: true, workflow }),
      cancel,
      retry,
      createCall("retry", { job: OLDER_ROW }),
      createCall("viewJob"),
      cancel,
      createCall("viewJob"),
    ],
  })),
  {
    points: ["job transitions/failed: stays"],
    commands: [...failJob, createCall("wait", { seconds: "a minute" }), createCall("viewJob")],
  },
  {
    points: ["job transitions/cancelled: stays"],
    commands: [
      submit,
      cancel,
      createCall("wait", { seconds: "a minute" }),
      createCall("viewJob"),
      createCall("wait", { seconds: "a minute" }),
      createCall("viewJob"),
    ],
  },
  {
    points: ["job transitions/retry while one is in flight"],
    commands: [...failJob, retry, createCall("retry", { job: OLDER_ROW }), createCall("listJobs")],
  },
  {
    points: ["job transitions/retry after the last retry has ended"],
    commands: [submit, cancel, retry, cancel, createCall("retry", { job: OLDER_ROW }), createCall("viewJob")],
  },
  ...["failure", "success"].map((outcome) => ({
    points: ["job transitions/retry after the last retry has ended"],
    commands: [
      ...failJob,
      retry,
      createCall("wait"),
      createCall("viewJob"),
      createCall("finishJob", { outcome }),
      createCall("retry", { job: OLDER_ROW }),
      createCall("viewJob"),
    ],
  })),
  {
    points: ["job transitions/submit"],
    commands: [
      createCall("register"),
      createCall("submit", { repo: FIRST_SPARE }),
      createCall("submit", { repo: FIRST_SPARE, workflow: "standard_audit" }),
      createCall("listJobs"),
    ],
  },
  {
    points: ["job transitions/submit while in flight"],
    commands: [submit, createCall("submit"), submit, createCall("submit", { key: "another key" }), createCall("viewJob")],
  },
  {
    points: ["job transitions/submit when completed", "job transitions/submit when completed, forced"],
    commands: [...completeJob, createCall("submit"), submit],
  },
  {
    points: ["job transitions/submit with a known key"],
    commands: [createCall("submit", { key: "a key", force: true }), cancel, createCall("submit", { key: "a key" })],
  },
  {
    points: ["job transitions/submit with a known key"],
    commands: [
      createCall("submit", { key: "a key", force: true }),
      cancel,
      createCall("wait", { seconds: "a day" }),
      createCall("submit", { key: "a key" }),
    ],
  },
  {
    points: ["job transitions/submit"],
    commands: [
      submit,
      createCall("submit", { workflow: "standard_audit" }),
      createCall("submit", { workflow: "standard_audit", params: "other" }),
    ],
  },
  {
    points: ["job transitions/submit"],
    commands: [
      createCall("submit", { workflow: "standard_audit", force: true }),
      createCall("submit"),
      createCall("submit", { repo: SECOND_PAGE_ROW }),
    ],
  },
  // A pending job may have no commit yet; a running one has one.
  {
    points: ["job transitions/submit on another commit"],
    commands: [...startJob, createCall("pushCommit"), createCall("submit")],
  },
  {
    points: ["tools/retry_job", "tools/submit_job"],
    commands: [
      createCall("submit", { surface: "tool", force: true }),
      cancel,
      createCall("retry", { surface: "tool" }),
      createCall("viewJob"),
    ],
  },
  {
    points: ["tools/job_status", "tools/list_jobs"],
    commands: [
      submit,
      createCall("viewJob", { surface: "tool" }),
      cancel,
      createCall("listJobs", { list: "workspace", surface: "tool", status: "pending" }),
    ],
  },
  {
    points: [createRoutePoint("GET /api/jobs"), "filters/workflow"],
    commands: [
      createCall("submit", { force: true, repo: SECOND_PAGE_ROW }),
      createCall("listJobs", { list: "workspace" }),
      submit,
      createCall("listJobs", { list: "workspace" }),
      createCall("listJobs", { workflow: "its own" }),
      createCall("listJobs", { workflow: "another" }),
    ],
  },
  {
    points: ["error codes/feature_not_enabled"],
    commands: [
      createCall("submit", { workflow: "task" }),
      createCall("submit", { workflow: "suggest" }),
      createCall("submit", { workflow: "mini_audit" }),
    ],
  },
  {
    points: ["error codes/invalid_payload"],
    commands: [
      createCall("submit", { flaw: "no workflow" }),
      createCall("submit", { flaw: "params as a list" }),
      createCall("submit", { flaw: "workflow as a list" }),
      createCall("submit", { flaw: "workflow as a number" }),
      createCall("submit", { flaw: "params that are refused", workflow: "standard_audit" }),
    ],
  },
];
