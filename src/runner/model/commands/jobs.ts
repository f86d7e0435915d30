import type { Command } from "../command.js";
import { DUE_MS } from "../jobs.js";
import { happen, look, request } from "../journey.js";
import { IN_FLIGHT, runsOver } from "../passing.js";
import { placeOf } from "../place.js";
import { distinct, withJob, withRepository } from "../states.js";
import { byCaller, bySurface, newestFirst, pinJob, readBack, registered, requestNamed } from "./choices.js";

const WORKFLOWS = ["audit", "standard_audit", "discover", "revalidate", "review", "publish", "mini_audit", "task", "suggest"];
const FLAWS = [
  {},
  {},
  {},
  {},
  {},
  { flaw: "JOB-SUBMIT-BODY-INVALID", with: { params: {} } },
  { flaw: "JOB-SUBMIT-BODY-INVALID", with: { workflow: "audit", params: [] } },
  { flaw: "JOB-SUBMIT-BODY-INVALID", with: { workflow: ["audit"], params: {} } },
  { flaw: "JOB-SUBMIT-BODY-INVALID", with: { workflow: 7, params: {} } },
  { flaw: "JOB-SUBMIT-PARAMS-INVALID", with: { workflow: "standard_audit", params: "{binding.job_params.invalid}" } },
];
const KEYS = [undefined, "work-{unique}", "other-work-{unique}"];

const submit: Command = {
  picks: ["repo", "workflow", "params", "force", "key", "flaw", "as", "surface"],
  weight: 6,
  async play(journey, pick) {
    const { scene, states } = journey;
    const params = pick("params", [{}, ...(scene.offers("binding.job_params.other") ? ["{binding.job_params.other}"] : [])]);
    const workflow = pick("workflow", WORKFLOWS);
    const key = pick("key", KEYS);
    const flaws = scene.offers("binding.job_params.invalid") ? FLAWS : FLAWS.slice(0, -1);
    const as = byCaller(journey, pick, ["viewer", "none"]);
    const ask = bySurface(journey, pick, {
      what: "POST /api/repos/{owner}/{repo}/{branch}/jobs",
      as,
      repo: pick("repo", [...registered(states), "nowhere"]) ?? "repo",
      with: { workflow, params: workflow === "standard_audit" ? params : {} },
      ...(pick("force", [false, true]) && { query: { force: "true" } }),
      ...(key !== undefined && { headers: { "idempotency-key": key } }),
      ...(as === "full" && pick("flaw", flaws)),
    });
    return (await requestNamed(journey, ask)).failure;
  },
};

const cancel: Command = {
  picks: ["job", "pin", "as", "back", "surface"],
  weight: 4,
  async play(journey, pick) {
    const job = pick("job", [...newestFirst(journey.states.jobs), undefined]);
    const pinned = pick("pin", [true, false]) ? await pinJob(journey, job) : {};
    const as = byCaller(journey, pick, ["free", "none", "expired"]);
    if (pinned.failure) return pinned.failure;
    const subject = job === undefined ? {} : { job };
    const told = await request(journey, { what: "POST /api/jobs/{job_id}/cancel", by: "rest", as, ...subject });
    return told.failure ?? (await readBack(journey, pick, { what: "GET /api/jobs/{job_id}", ...subject }));
  },
};

const retry: Command = {
  picks: ["job", "pin", "as", "surface"],
  weight: 5,
  async play(journey, pick) {
    const job = pick("job", [...newestFirst(journey.states.jobs), undefined]);
    const child = job === undefined ? undefined : journey.states.jobs[job]?.child;
    const pinned = pick("pin", [true, false]) ? [await pinJob(journey, job), await pinJob(journey, child)] : [];
    const as = byCaller(journey, pick, ["viewer", "free", "revoked"]);
    const ask = bySurface(journey, pick, { what: "POST /api/jobs/{job_id}/retry", as, ...(job !== undefined && { job }) });
    return pinned.find(({ failure }) => failure)?.failure ?? (await requestNamed(journey, ask)).failure;
  },
};

const lookAtJob: Command = {
  picks: ["job", "as", "surface"],
  weight: 6,
  async play(journey, pick) {
    const job = pick("job", [...newestFirst(journey.states.jobs), undefined]);
    const as = byCaller(journey, pick, ["viewer", "free", "none"]);
    const ask = bySurface(journey, pick, { what: "GET /api/jobs/{job_id}", as, ...(job !== undefined && { job }) });
    return (await request(journey, ask)).failure;
  },
};

const finishJob: Command = {
  picks: ["job", "outcome"],
  weight: 4,
  async play(journey, pick) {
    const { states } = journey;
    const running = newestFirst(states.jobs).filter((name) =>
      states.jobs[name]?.possible.some((status) => IN_FLIGHT.includes(status)),
    );
    const name = pick("job", running);
    const outcome = pick("outcome", ["success", "failure"]);
    if (name === undefined || !journey.scene.offers("drive.finish-job")) return undefined;
    const pinned = await pinJob(journey, name);
    if (pinned.failure) return pinned.failure;
    await happen(journey, { event: "finish-job", values: { job_id: `{${name}}`, outcome } }, (before) => {
      const job = before.jobs[name];
      if (!job) return before;
      const ended = outcome === "success" ? ("completed" as const) : ("failed" as const);
      const possible = job.possible.some((status) => IN_FLIGHT.includes(status)) ? [...job.possible, ended] : job.possible;
      const because = [outcome === "success" ? "JOB-STATE-SUCCESS" : "JOB-STATE-FAILURE", "JOB-STATE-FORWARD"];
      const due = { status: ended, by: before.now + DUE_MS };
      return runsOver(withJob(before, name, { possible: distinct(possible), because, due, recent: true }), job);
    });
    const shown = await pinJob(journey, name);
    const late = journey.states.jobs[name]?.possible.some((status) => IN_FLIGHT.includes(status));
    if (shown.failure || !late || !journey.scene.offers("clock")) return shown.failure;
    await journey.scene.wait(DUE_MS / 1000 + 1);
    await look(journey);
    return (await request(journey, { what: "GET /api/jobs/{job_id}", by: "rest", as: "full", job: name })).failure;
  },
};

const listJobs: Command = {
  picks: ["job", "list", "workflow", "status", "surface"],
  weight: 3,
  async play(journey, pick) {
    const { states } = journey;
    const job = pick("job", newestFirst(states.jobs));
    const repo = (job !== undefined && states.jobs[job]?.repo) || "repo";
    const workflow = pick("workflow", [undefined, (job !== undefined && states.jobs[job]?.workflow) || "audit", "discover"]);
    const subject = { as: "full", ...(job !== undefined && { job }) };
    const ofRepo = { limit: 200, ...(workflow !== undefined && { workflow }) };
    const status = pick("status", [undefined, "pending", "running", "completed", "failed", "cancelled"]);
    const ask =
      pick("list", ["repo", "workspace"]) === "repo"
        ? {
            what: "GET /api/repos/{owner}/{repo}/{branch}/jobs" as const,
            by: "rest" as const,
            repo,
            query: ofRepo,
            walk: true,
            ...subject,
          }
        : bySurface(journey, pick, { what: "GET /api/jobs", ...subject });
    if (ask.by === "tool")
      return (await request(journey, { ...ask, ...(status !== undefined && { query: { status } }) })).failure;
    return (await request(journey, ask.query ? ask : { ...ask, query: { limit: 200 }, walk: true })).failure;
  },
};

const pushCommit: Command = {
  picks: ["repo"],
  weight: 1,
  async play(journey, pick) {
    const repo = pick("repo", registered(journey.states));
    if (repo === undefined) return undefined;
    const head = (journey.states.repos[repo]?.head ?? 0) + 1;
    await happen(journey, { event: "push-commit", values: { repo: placeOf(repo).path } }, (before) =>
      withRepository(before, repo, { head }),
    );
    return undefined;
  },
};

const wait: Command = {
  picks: ["seconds"],
  weight: 3,
  async play(journey, pick) {
    const cheap = journey.scene.offers("clock");
    const seconds = pick("seconds", cheap ? [31, 1, 65, 600, 3600, 25 * 3600] : [1]) ?? 1;
    await journey.scene.wait(seconds);
    await look(journey);
    return undefined;
  },
};

/** What a case can do with jobs, and with time. */
export const jobCommands = { submit, cancel, retry, lookAtJob, finishJob, listJobs, pushCommit, wait };
