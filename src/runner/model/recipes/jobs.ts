import { go, type Recipe, routeOf, submit } from "./recipe.js";

const start = [submit, go("wait"), go("lookAtJob")];
const succeed = [...start, go("finishJob")];
const fail = [...start, go("finishJob", { outcome: 1 })];
const cancel = go("cancel");
const retry = go("retry");

/** Recipes for the job table. */
export const jobRecipes: readonly Recipe[] = [
  {
    points: ["job/submit", "job/pending: retry", "job/pending: cancel"],
    commands: [submit, retry, cancel, go("wait"), go("lookAtJob")],
  },
  {
    points: ["job/cancelled: cancel", "job/cancelled: retry"],
    commands: [submit, cancel, cancel, retry, go("lookAtJob", { job: 1 })],
  },
  {
    points: ["job/pending: dispatch", "job/running: retry", "job/running: cancel"],
    commands: [...start, go("wait"), go("lookAtJob"), retry, cancel, go("wait"), go("lookAtJob", { surface: 1 })],
  },
  {
    points: ["job/running: succeed", "job/completed: cancel", "job/completed: retry"],
    commands: [...succeed, cancel, go("lookAtJob"), retry, go("lookAtJob")],
  },
  {
    points: ["job/running: fail", "job/failed: cancel", "job/failed: retry"],
    commands: [...fail, cancel, retry, go("lookAtJob"), go("listJobs")],
  },
  {
    points: ["job/completed: stays"],
    commands: [...succeed, go("wait", { seconds: 2 }), go("lookAtJob"), go("wait", { seconds: 4 }), go("lookAtJob")],
  },
  ...[1, 2].map((workflow) => ({
    points: ["job/retry when the last has ended"],
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
  { points: ["job/failed: stays"], commands: [...fail, go("wait", { seconds: 2 }), go("lookAtJob")] },
  {
    points: ["job/cancelled: stays"],
    commands: [submit, cancel, go("wait", { seconds: 2 }), go("lookAtJob"), go("wait", { seconds: 2 }), go("lookAtJob")],
  },
  { points: ["job/retry while one is in flight"], commands: [...fail, retry, go("retry", { job: 1 }), go("listJobs")] },
  {
    points: ["job/retry when the last has ended"],
    commands: [submit, cancel, retry, cancel, go("retry", { job: 1 }), go("lookAtJob")],
  },
  {
    points: ["job/submit"],
    commands: [go("register"), go("submit", { repo: 3 }), go("submit", { repo: 3, workflow: 1 }), go("listJobs")],
  },
  { points: ["job/submit while in flight"], commands: [submit, go("submit"), submit, go("submit", { key: 2 }), go("lookAtJob")] },
  { points: ["job/submit when completed", "job/submit when completed, forced"], commands: [...succeed, go("submit"), submit] },
  { points: ["job/submit with a known key"], commands: [go("submit", { key: 1, force: 1 }), cancel, go("submit", { key: 1 })] },
  {
    points: ["job/submit with a known key"],
    commands: [go("submit", { key: 1, force: 1 }), cancel, go("wait", { seconds: 5 }), go("submit", { key: 1 })],
  },
  { points: ["job/submit"], commands: [submit, go("submit", { workflow: 1 }), go("submit", { workflow: 1, params: 1 })] },
  { points: ["job/submit"], commands: [go("submit", { workflow: 1, force: 1 }), go("submit"), go("submit", { repo: 1 })] },
  { points: ["job/submit on another commit"], commands: [submit, go("pushCommit"), go("submit")] },
  {
    points: ["tool/retry_job", "tool/submit_job"],
    commands: [go("submit", { surface: 1, force: 1 }), cancel, go("retry", { surface: 1 }), go("lookAtJob")],
  },
  {
    points: ["tool/job_status", "tool/list_jobs"],
    commands: [submit, go("lookAtJob", { surface: 1 }), cancel, go("listJobs", { list: 1, surface: 1, status: 1 })],
  },
  {
    points: [routeOf("GET /api/jobs"), "filter/workflow"],
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
    points: ["code/feature_not_enabled"],
    commands: [go("submit", { workflow: 7 }), go("submit", { workflow: 8 }), go("submit", { workflow: 6 })],
  },
  {
    points: ["code/invalid_payload"],
    commands: [
      go("submit", { flaw: 5 }),
      go("submit", { flaw: 6 }),
      go("submit", { flaw: 7 }),
      go("submit", { flaw: 8 }),
      go("submit", { flaw: 9, workflow: 1 }),
    ],
  },
];
