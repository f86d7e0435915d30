import { go, type Recipe, routeOf, submit } from "./recipe.js";

const start = [submit, go("wait"), go("lookAtJob")];
const succeed = [...start, go("finishJob")];
const fail = [...start, go("finishJob", { outcome: 1 })];
const cancel = go("cancel");
const retry = go("retry");

/** Recipes for the job table. */
export const jobRecipes: readonly Recipe[] = [
  {
    points: ["job transitions/submit", "job transitions/pending: retry", "job transitions/pending: cancel"],
    commands: [submit, retry, cancel, go("wait"), go("lookAtJob")],
  },
  {
    points: ["job transitions/cancelled: cancel", "job transitions/cancelled: retry"],
    commands: [submit, cancel, cancel, retry, go("lookAtJob", { job: 1 })],
  },
  {
    points: ["job transitions/pending: dispatch", "job transitions/running: retry", "job transitions/running: cancel"],
    commands: [...start, go("wait"), go("lookAtJob"), retry, cancel, go("wait"), go("lookAtJob", { surface: 1 })],
  },
  {
    points: ["job transitions/running: succeed", "job transitions/completed: cancel", "job transitions/completed: retry"],
    commands: [...succeed, cancel, go("lookAtJob"), retry, go("lookAtJob")],
  },
  {
    points: ["job transitions/running: fail", "job transitions/failed: cancel", "job transitions/failed: retry"],
    commands: [...fail, cancel, retry, go("lookAtJob"), go("listJobs")],
  },
  {
    points: ["job transitions/completed: stays"],
    commands: [...succeed, go("wait", { seconds: 2 }), go("lookAtJob"), go("wait", { seconds: 4 }), go("lookAtJob")],
  },
  ...[1, 2].map((workflow) => ({
    points: ["job transitions/retry when the last has ended"],
    commands: [
      go("submit", { force: 1, workflow }),
      cancel,
      retry,
      go("retry", { job: 1 }),
      go("lookAtJob"),
      cancel,
      go("lookAtJob"),
    ],
  })),
  { points: ["job transitions/failed: stays"], commands: [...fail, go("wait", { seconds: 2 }), go("lookAtJob")] },
  {
    points: ["job transitions/cancelled: stays"],
    commands: [submit, cancel, go("wait", { seconds: 2 }), go("lookAtJob"), go("wait", { seconds: 2 }), go("lookAtJob")],
  },
  {
    points: ["job transitions/retry while one is in flight"],
    commands: [...fail, retry, go("retry", { job: 1 }), go("listJobs")],
  },
  {
    points: ["job transitions/retry when the last has ended"],
    commands: [submit, cancel, retry, cancel, go("retry", { job: 1 }), go("lookAtJob")],
  },
  {
    points: ["job transitions/submit"],
    commands: [go("register"), go("submit", { repo: 3 }), go("submit", { repo: 3, workflow: 1 }), go("listJobs")],
  },
  {
    points: ["job transitions/submit while in flight"],
    commands: [submit, go("submit"), submit, go("submit", { key: 2 }), go("lookAtJob")],
  },
  {
    points: ["job transitions/submit when completed", "job transitions/submit when completed, forced"],
    commands: [...succeed, go("submit"), submit],
  },
  {
    points: ["job transitions/submit with a known key"],
    commands: [go("submit", { key: 1, force: 1 }), cancel, go("submit", { key: 1 })],
  },
  {
    points: ["job transitions/submit with a known key"],
    commands: [go("submit", { key: 1, force: 1 }), cancel, go("wait", { seconds: 5 }), go("submit", { key: 1 })],
  },
  {
    points: ["job transitions/submit"],
    commands: [submit, go("submit", { workflow: 1 }), go("submit", { workflow: 1, params: 1 })],
  },
  {
    points: ["job transitions/submit"],
    commands: [go("submit", { workflow: 1, force: 1 }), go("submit"), go("submit", { repo: 1 })],
  },
  { points: ["job transitions/submit on another commit"], commands: [submit, go("pushCommit"), go("submit")] },
  {
    points: ["tools/retry_job", "tools/submit_job"],
    commands: [go("submit", { surface: 1, force: 1 }), cancel, go("retry", { surface: 1 }), go("lookAtJob")],
  },
  {
    points: ["tools/job_status", "tools/list_jobs"],
    commands: [submit, go("lookAtJob", { surface: 1 }), cancel, go("listJobs", { list: 1, surface: 1, status: 1 })],
  },
  {
    points: [routeOf("GET /api/jobs"), "filters/workflow"],
    commands: [
      go("submit", { force: 1, repo: 1 }),
      go("listJobs", { list: 1 }),
      submit,
      go("listJobs", { list: 1 }),
      go("listJobs", { workflow: 1 }),
      go("listJobs", { workflow: 2 }),
    ],
  },
  {
    points: ["error codes/feature_not_enabled"],
    commands: [go("submit", { workflow: 7 }), go("submit", { workflow: 8 }), go("submit", { workflow: 6 })],
  },
  {
    points: ["error codes/invalid_payload"],
    commands: [
      go("submit", { flaw: 5 }),
      go("submit", { flaw: 6 }),
      go("submit", { flaw: 7 }),
      go("submit", { flaw: 8 }),
      go("submit", { flaw: 9, workflow: 1 }),
    ],
  },
];
