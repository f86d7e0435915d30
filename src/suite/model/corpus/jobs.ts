import { BEFORE_NEWEST, type CorpusEntry, call, FIRST_SPARE, routePoint, SECOND, submit } from "./entry.js";

const start = [submit, call("wait"), call("viewJob")];
const succeed = [...start, call("finishJob")];
const fail = [...start, call("finishJob", { outcome: "failure" })];
const cancel = call("cancel");
const retry = call("retry");

/** Entries for the job table. */
export const jobEntries: readonly CorpusEntry[] = [
  {
    points: ["job transitions/submit", "job transitions/pending: retry", "job transitions/pending: cancel"],
    commands: [submit, retry, cancel, call("wait"), call("viewJob")],
  },
  {
    points: ["job transitions/cancelled: cancel", "job transitions/cancelled: retry"],
    commands: [submit, cancel, cancel, retry, call("viewJob", { job: BEFORE_NEWEST })],
  },
  {
    points: ["job transitions/pending: dispatch", "job transitions/running: retry", "job transitions/running: cancel"],
    commands: [...start, call("wait"), call("viewJob"), retry, cancel, call("wait"), call("viewJob", { surface: "tool" })],
  },
  {
    points: ["job transitions/running: succeed", "job transitions/completed: cancel", "job transitions/completed: retry"],
    commands: [...succeed, cancel, call("viewJob"), retry, call("viewJob")],
  },
  {
    points: ["job transitions/running: fail", "job transitions/failed: cancel", "job transitions/failed: retry"],
    commands: [...fail, cancel, retry, call("viewJob"), call("listJobs")],
  },
  {
    points: ["job transitions/completed: stays"],
    commands: [
      ...succeed,
      call("wait", { seconds: "a minute" }),
      call("viewJob"),
      call("wait", { seconds: "an hour" }),
      call("viewJob"),
    ],
  },
  ...["standard_audit", "discover"].map((workflow) => ({
    points: ["job transitions/retry after the last retry has ended"],
    commands: [
      call("submit", { force: true, workflow }),
      cancel,
      retry,
      call("retry", { job: BEFORE_NEWEST }),
      call("viewJob"),
      cancel,
      call("viewJob"),
    ],
  })),
  { points: ["job transitions/failed: stays"], commands: [...fail, call("wait", { seconds: "a minute" }), call("viewJob")] },
  {
    points: ["job transitions/cancelled: stays"],
    commands: [
      submit,
      cancel,
      call("wait", { seconds: "a minute" }),
      call("viewJob"),
      call("wait", { seconds: "a minute" }),
      call("viewJob"),
    ],
  },
  {
    points: ["job transitions/retry while one is in flight"],
    commands: [...fail, retry, call("retry", { job: BEFORE_NEWEST }), call("listJobs")],
  },
  {
    points: ["job transitions/retry after the last retry has ended"],
    commands: [submit, cancel, retry, cancel, call("retry", { job: BEFORE_NEWEST }), call("viewJob")],
  },
  ...["failure", "success"].map((outcome) => ({
    points: ["job transitions/retry after the last retry has ended"],
    commands: [
      ...fail,
      retry,
      call("wait"),
      call("viewJob"),
      call("finishJob", { outcome }),
      call("retry", { job: BEFORE_NEWEST }),
      call("viewJob"),
    ],
  })),
  {
    points: ["job transitions/submit"],
    commands: [
      call("register"),
      call("submit", { repo: FIRST_SPARE }),
      call("submit", { repo: FIRST_SPARE, workflow: "standard_audit" }),
      call("listJobs"),
    ],
  },
  {
    points: ["job transitions/submit while in flight"],
    commands: [submit, call("submit"), submit, call("submit", { key: "another key" }), call("viewJob")],
  },
  {
    points: ["job transitions/submit when completed", "job transitions/submit when completed, forced"],
    commands: [...succeed, call("submit"), submit],
  },
  {
    points: ["job transitions/submit with a known key"],
    commands: [call("submit", { key: "a key", force: true }), cancel, call("submit", { key: "a key" })],
  },
  {
    points: ["job transitions/submit with a known key"],
    commands: [
      call("submit", { key: "a key", force: true }),
      cancel,
      call("wait", { seconds: "a day" }),
      call("submit", { key: "a key" }),
    ],
  },
  {
    points: ["job transitions/submit"],
    commands: [
      submit,
      call("submit", { workflow: "standard_audit" }),
      call("submit", { workflow: "standard_audit", params: "other" }),
    ],
  },
  {
    points: ["job transitions/submit"],
    commands: [call("submit", { workflow: "standard_audit", force: true }), call("submit"), call("submit", { repo: SECOND })],
  },
  // A pending job may have no commit yet; a running one has one.
  { points: ["job transitions/submit on another commit"], commands: [...start, call("pushCommit"), call("submit")] },
  {
    points: ["tools/retry_job", "tools/submit_job"],
    commands: [call("submit", { surface: "tool", force: true }), cancel, call("retry", { surface: "tool" }), call("viewJob")],
  },
  {
    points: ["tools/job_status", "tools/list_jobs"],
    commands: [
      submit,
      call("viewJob", { surface: "tool" }),
      cancel,
      call("listJobs", { list: "workspace", surface: "tool", status: "pending" }),
    ],
  },
  {
    points: [routePoint("GET /api/jobs"), "filters/workflow"],
    commands: [
      call("submit", { force: true, repo: SECOND }),
      call("listJobs", { list: "workspace" }),
      submit,
      call("listJobs", { list: "workspace" }),
      call("listJobs", { workflow: "its own" }),
      call("listJobs", { workflow: "another" }),
    ],
  },
  {
    points: ["error codes/feature_not_enabled"],
    commands: [
      call("submit", { workflow: "task" }),
      call("submit", { workflow: "suggest" }),
      call("submit", { workflow: "mini_audit" }),
    ],
  },
  {
    points: ["error codes/invalid_payload"],
    commands: [
      call("submit", { flaw: "no workflow" }),
      call("submit", { flaw: "params as a list" }),
      call("submit", { flaw: "workflow as a list" }),
      call("submit", { flaw: "workflow as a number" }),
      call("submit", { flaw: "params that are refused", workflow: "standard_audit" }),
    ],
  },
];
