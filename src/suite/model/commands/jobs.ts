import { findJobTransition, isInFlight, jobStatuses, submitTransition } from "../../statements/jobs.js";
import { DISPATCH_SECONDS, IDEMPOTENCY_HOURS } from "../../statements/limits.js";
import { PAGE_LIMIT } from "../../statements/lists.js";
import { DEFAULT_ROLE } from "../../statements/roles.js";
import type { WorkflowName } from "../../statements/workflows.js";
import type { Command } from "../command.js";
import { drive, readClock, send } from "../model-run.js";
import { DUE_MS } from "../rules/jobs.js";
import { findAddress } from "../rules/repository-address.js";
import type { ModelRequest } from "../rules/request.js";
import { changeJob, changeRepository, dropDuplicates } from "../rules/states.js";
import { finishRun } from "../rules/time.js";
import {
  chooseCaller,
  chooseSurface,
  listRegisteredRepos,
  readBack,
  readUncertainJob,
  sendNamed,
  sortNewestFirst,
} from "./choices.js";

/** The workflows of submissions. A fix starts from its observation, so it is absent. */
const WORKFLOWS: readonly WorkflowName[] = [
  ...(["audit", "standard_audit", "discover", "revalidate", "review", "publish"] as const),
  ...(["mini_audit", "task", "suggest"] as const),
];
/** Invalid bodies, and the clause that each breaks. */
const invalidParams: Readonly<Record<string, Pick<ModelRequest, "flaw" | "with">>> = {
  "no workflow": { flaw: "JOB-SUBMIT-BODY-INVALID", with: { params: {} } },
  "params as a list": { flaw: "JOB-SUBMIT-BODY-INVALID", with: { workflow: "audit", params: [] } },
  "workflow as a list": { flaw: "JOB-SUBMIT-BODY-INVALID", with: { workflow: ["audit"], params: {} } },
  "workflow as a number": { flaw: "JOB-SUBMIT-BODY-INVALID", with: { workflow: 7, params: {} } },
};
const refusedParams = {
  flaw: "JOB-SUBMIT-PARAMS-INVALID",
  with: { workflow: "standard_audit", params: "{binding.job_params.invalid}" },
};
const keys = { none: undefined, "a key": "work-{unique}", "another key": "other-work-{unique}" };

const submit: Command = {
  arguments: ["repo", "workflow", "params", "force", "key", "flaw", "as", "surface"],
  weight: 6,
  async run(modelRun, choose) {
    const { sut, states } = modelRun;
    const other = sut.offers("binding.job_params.other") && { other: "{binding.job_params.other}" };
    const params = choose<object | string>("params", { none: {}, ...other });
    const workflow = choose("workflow", WORKFLOWS);
    const key = choose("key", keys);
    const refused = sut.offers("binding.job_params.invalid") && { "params that are refused": refusedParams };
    const as = chooseCaller(modelRun, choose, ["viewer", "none"]);
    const request = chooseSurface(modelRun, choose, {
      what: "POST /api/repos/{owner}/{repo}/{branch}/jobs",
      as,
      repo: choose("repo", [...listRegisteredRepos(states), "nowhere"]) ?? "repo",
      with: { workflow, params: workflow === "standard_audit" ? params : {} },
      ...(choose("force", [false, true]) && { query: { force: "true" } }),
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
      ...(as === DEFAULT_ROLE && choose("flaw", { none: {}, ...invalidParams, ...refused }, 5)),
    });
    return (await sendNamed(modelRun, request)).failure;
  },
};

const cancel: Command = {
  arguments: ["job", "pin", "as", "back", "surface"],
  weight: 4,
  async run(modelRun, choose) {
    const job = choose("job", [...sortNewestFirst(modelRun.states.jobs), undefined]);
    const requestResult = choose("pin", [true, false]) ? await readUncertainJob(modelRun, job) : {};
    const as = chooseCaller(modelRun, choose, ["free", "none", "expired"]);
    if (requestResult.failure) return requestResult.failure;
    const subject = job === undefined ? {} : { job };
    const result = await send(modelRun, { what: "POST /api/jobs/{job_id}/cancel", by: "rest", as, ...subject });
    return result.failure ?? (await readBack(modelRun, choose, { what: "GET /api/jobs/{job_id}", ...subject }));
  },
};

const retry: Command = {
  arguments: ["job", "pin", "as", "surface"],
  weight: 5,
  async run(modelRun, choose) {
    const job = choose("job", [...sortNewestFirst(modelRun.states.jobs), undefined]);
    const child = job === undefined ? undefined : modelRun.states.jobs[job]?.child;
    const requestResults = choose("pin", [true, false])
      ? [await readUncertainJob(modelRun, job), await readUncertainJob(modelRun, child)]
      : [];
    const as = chooseCaller(modelRun, choose, ["viewer", "free", "revoked"]);
    const request = chooseSurface(modelRun, choose, {
      what: "POST /api/jobs/{job_id}/retry",
      as,
      ...(job !== undefined && { job }),
    });
    return requestResults.find(({ failure }) => failure)?.failure ?? (await sendNamed(modelRun, request)).failure;
  },
};

const viewJob: Command = {
  arguments: ["job", "as", "surface"],
  weight: 6,
  async run(modelRun, choose) {
    const job = choose("job", [...sortNewestFirst(modelRun.states.jobs), undefined]);
    const as = chooseCaller(modelRun, choose, ["viewer", "free", "none"]);
    const request = chooseSurface(modelRun, choose, { what: "GET /api/jobs/{job_id}", as, ...(job !== undefined && { job }) });
    return (await send(modelRun, request)).failure;
  },
};

const finishJob: Command = {
  arguments: ["job", "outcome"],
  weight: 4,
  async run(modelRun, choose) {
    const { states } = modelRun;
    const running = sortNewestFirst(states.jobs).filter((name) => states.jobs[name]?.possible.some(isInFlight));
    const name = choose("job", running);
    const outcome = choose("outcome", ["success", "failure"]);
    if (name === undefined || !modelRun.sut.offers("drive.finish-job")) return undefined;
    const read = await readUncertainJob(modelRun, name);
    if (read.failure) return read.failure;
    await drive(modelRun, { event: "finish-job", values: { job_id: `{${name}}`, outcome } }, (statesBefore) => {
      const job = statesBefore.jobs[name];
      const line = findJobTransition("running", outcome === "failure" ? "fail" : "succeed");
      if (!job || !line) return statesBefore;
      const possible = job.possible.some(isInFlight) ? [...job.possible, line.to] : job.possible;
      const because = [line.clause, "JOB-STATE-FORWARD"];
      const due = { status: line.to, by: statesBefore.now + DUE_MS };
      return finishRun(
        changeJob(statesBefore, name, { possible: dropDuplicates(possible), because, due, completedAt: statesBefore.now }),
        job,
      );
    });
    const requestResult = await readUncertainJob(modelRun, name);
    const isUnfinished = modelRun.states.jobs[name]?.possible.some(isInFlight);
    if (requestResult.failure || !isUnfinished || !modelRun.sut.offers("clock")) return requestResult.failure;
    await modelRun.sut.wait(DUE_MS / 1000 + 1);
    await readClock(modelRun);
    return (await send(modelRun, { what: "GET /api/jobs/{job_id}", by: "rest", as: DEFAULT_ROLE, job: name })).failure;
  },
};

const listJobs: Command = {
  arguments: ["job", "list", "workflow", "status", "surface"],
  weight: 3,
  async run(modelRun, choose) {
    const { states } = modelRun;
    const job = choose("job", sortNewestFirst(states.jobs));
    const repo = (job !== undefined && states.jobs[job]?.repo) || "repo";
    const own = (job !== undefined && states.jobs[job]?.workflow) || "audit";
    const workflow = choose("workflow", { any: undefined, "its own": own, another: "discover" });
    const subject = { as: DEFAULT_ROLE, ...(job !== undefined && { job }) };
    const ofRepo = { limit: PAGE_LIMIT, ...(workflow !== undefined && { workflow }) };
    const status = choose("status", [undefined, ...jobStatuses]);
    const request =
      choose("list", ["repo", "workspace"]) === "repo"
        ? {
            what: "GET /api/repos/{owner}/{repo}/{branch}/jobs" as const,
            by: "rest" as const,
            repo,
            query: ofRepo,
            walk: true,
            ...subject,
          }
        : chooseSurface(modelRun, choose, { what: "GET /api/jobs", ...subject });
    if (request.by === "tool")
      return (await send(modelRun, { ...request, ...(status !== undefined && { query: { status } }) })).failure;
    return (await send(modelRun, request.query ? request : { ...request, query: { limit: PAGE_LIMIT }, walk: true })).failure;
  },
};

const pushCommit: Command = {
  arguments: ["repo"],
  weight: 1,
  async run(modelRun, choose) {
    const repo = choose("repo", listRegisteredRepos(modelRun.states));
    if (repo === undefined) return undefined;
    const head = (modelRun.states.repos[repo]?.head ?? 0) + 1;
    await drive(modelRun, { event: "push-commit", values: { repo: findAddress(repo).path } }, (statesBefore) => {
      const waiting = Object.keys(statesBefore.jobs).filter((name) => {
        const job = statesBefore.jobs[name];
        return job?.repo === repo && job.possible.includes(submitTransition.to);
      });
      const states = waiting.reduce((states, name) => changeJob(states, name, { adrift: true }), statesBefore);
      return changeRepository(states, repo, { head });
    });
    return undefined;
  },
};

/** Times to wait, in seconds: more than a tick of the scheduler, a minute of a rate, an hour of spending, or the day of an Idempotency-Key. */
const tickWait = { "a tick": DISPATCH_SECONDS + 1 };
const secondWait = { "a moment": 1 };
const longWaits = { "a minute": 65, "ten minutes": 600, "an hour": 3600, "a day": (IDEMPOTENCY_HOURS + 1) * 3600 };

const wait: Command = {
  arguments: ["seconds"],
  weight: 3,
  async run(modelRun, choose) {
    const cheap = modelRun.sut.offers("clock");
    const seconds = choose("seconds", cheap ? { ...tickWait, ...secondWait, ...longWaits } : secondWait) ?? 1;
    await modelRun.sut.wait(seconds);
    await readClock(modelRun);
    return undefined;
  },
};

/** Commands on jobs and the clock. */
export const jobCommands = { submit, cancel, retry, viewJob, finishJob, listJobs, pushCommit, wait };
