import type { Job, World } from "../../src/service/world/world.js";
import { onTool } from "./family.js";
import {
  type Around,
  answering,
  keyOf,
  type Mutant,
  onRoute,
  param,
  pretending,
  repoOf,
  type Shown,
  showing,
  withParams,
  withRows,
} from "./mutant.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const repos = "GET /api/repos";

/** Faults in what is left of something that is over: a removal, a closing, a run, an hour's spending. */
export const aftermathMutants: Mutant[] = [
  {
    name: "goes on listing a removed repository that was registered as installed",
    breaks: "REPO-DELETE-GONE",
    around: answering(repos, (reply, world, call) => {
      const workspace = keyOf(world, call)?.workspace;
      const removed = Object.values(world.repos).filter(
        (row) => row.workspace === workspace && row.deleted_at !== null && row.access_mode === "installed",
      );
      return withRows<Shown>(reply, (rows) => [...rows, ...removed.map(({ owner, repo, branch }) => ({ owner, repo, branch }))]);
    }),
  },
  {
    name: "shows as completed a reopened observation whose fix is merged",
    breaks: "OBS-FIX-MERGED",
    around: showing("GET /api/observations/{ref}", (shown, { observations }) => {
      const wasReopened = observations[String(shown.ref)]?.reopen_reason;
      return shown.close_reason === "fixed" && wasReopened ? { ...shown, close_reason: "completed" } : shown;
    }),
  },
  {
    name: "takes a job that was cancelled while it ran for one in flight",
    breaks: "JOB-SUBMIT-FORCE",
    around: onRoute(submit, (world, call, perform) => {
      const stopped = Object.values(world.jobs).filter((job) => job.status === "cancelled" && job.started_at !== null);
      const ends = new Map(stopped.map((job) => [job, job.finished_at]));
      for (const job of stopped) job.finished_at = null;
      const reply = perform(world, call);
      for (const [job, end] of ends) job.finished_at = end;
      return reply;
    }),
  },
  {
    name: "retries no job that was cancelled while it ran",
    breaks: "JOB-RETRY-NEW",
    around: onRoute("POST /api/jobs/{job_id}/retry", (world, call, perform) => {
      const job = jobIn(world, param(call, "job_id"));
      return job?.status === "cancelled" && job.started_at !== null
        ? pretending(job, { status: "completed" }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "answers whoever has seen its Idempotency-Key, whatever the scopes",
    breaks: "SCOPE-VIEW-SUBMIT",
    around: onRoute(submit, (world, call, perform) => {
      const key = keyOf(world, call);
      const isKnown = Object.keys(world.submissions).includes(`${key?.workspace} ${call.idempotencyKey}`);
      return key && isKnown
        ? pretending(key, { scopes: [...key.scopes, "submit_audit_jobs"] }, () => perform(world, call))
        : perform(world, call);
    }),
  },
  {
    name: "gives a key that is changed its hour back",
    breaks: "KEY-FIELD-DOLLARS",
    around: answering("PATCH /api/keys/{key_id}", (reply, world, call) => {
      if (reply.status < 300) delete world.spend[param(call, "key_id")];
      return reply;
    }),
  },
  {
    name: "counts what keys of one name spend as one",
    breaks: "KEY-FIELD-DOLLARS",
    around: onRoute(submit, (world, call, perform) => {
      const key = keyOf(world, call);
      const alike = Object.values(world.keys).filter(
        ({ id, name }) => key && name === key.name && id !== key.id && world.spend[id],
      );
      const [spent] = alike.flatMap(({ id }) => world.spend[id] ?? []);
      if (key && spent && !world.spend[key.id]) world.spend[key.id] = { ...spent };
      return perform(world, call);
    }),
  },
  {
    name: "removes no repository in which a job waits or runs",
    breaks: "REPO-DELETE-ROUTE",
    around: keeping(({ jobs }, id) => Object.values(jobs).some((job) => job.repo === id && job.finished_at === null)),
  },
  {
    name: "removes no repository in which something was observed",
    breaks: "REPO-DELETE-ROUTE",
    around: keeping(({ observations }, id) => Object.values(observations).some(({ repo }) => repo === id)),
  },
  {
    name: "requests a fix by a job of another workspace",
    breaks: "KEY-WORKSPACE",
    ...onTool("request_fix", (world, call, performTool) => {
      const observation = world.observations[String(call.arguments.ref)];
      const { repo = "", workspace = "" } = observation ?? {};
      return pretending(jobIn(world, String(call.arguments.job_id)), { repo, workspace }, () => performTool(world, call));
    }),
  },
];

/** Finds a repository that holds something no more than one that is not there. */
function keeping(isMeant: (world: World, id: string) => boolean): Around {
  return onRoute("DELETE /api/repos/{owner}/{repo}/{branch}", (world, call, perform) => {
    const repo = repoOf(world, call);
    return perform(world, repo && isMeant(world, repo.id) ? withParams(call, { repo: "none" }) : call);
  });
}

function jobIn({ jobs }: World, id: string): Job | undefined {
  return jobs[id];
}
