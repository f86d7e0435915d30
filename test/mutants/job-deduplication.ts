import type { IncomingCall, ServiceResponse } from "../../src/service/call.js";
import type { Job, World } from "../../src/service/world/world.js";
import { mutantPerValue, wrapTool } from "./family.js";
import { changeSubmissionBody, createUnwantedJob, getIdenticalJob, makeParamsUnique } from "./helpers/jobs.js";
import { wrapSignedInCalls } from "./helpers/keys.js";
import { submitRoute } from "./helpers/routes.js";
import {
  getBody,
  getRepo,
  getRoute,
  type Mutant,
  type Shown,
  withArguments,
  withBody,
  withParams,
  withQuery,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

/** Mutants that break a clause of DEDUPE-COMMIT-*, DEDUPE-COMPLETED-*, DEDUPE-INFLIGHT-*, DEDUPE-NOTHING-*, DEDUPE-PARAMS-*, DEDUPE-REPO-* or DEDUPE-WORKFLOW-*. */
export const jobDeduplicationMutants: Mutant[] = [
  {
    name: "starts work again after identical work has completed instead of answering the completed job",
    breaks: "DEDUPE-COMPLETED",
    around: (world, call, perform) => perform(world, getRoute(call) === submitRoute ? withQuery(call, { force: "true" }) : call),
  },
  wrapSignedInCalls(
    "answers 201 to a signed-in person for a job in flight instead of 200",
    "DEDUPE-INFLIGHT",
    submitRoute,
    (world, call, perform) => {
      const response = perform(world, call);
      return response.status === 200 ? { ...response, status: 201 } : response;
    },
  ),
  ...mutantPerValue(
    "DEDUPE-NOTHING-ENQUEUED",
    "answer for an existing job",
    "enqueues a job besides the one that it answers with instead of nothing: *",
    (why) => createUnwantedJob((response, call) => response.status === 200 && getExisting(response, call) === why),
  ),
  ...mutantPerValue(
    "DEDUPE-INFLIGHT",
    "submitted workflow",
    "starts identical work besides work in flight instead of answering that job: *",
    (workflow) => makeParamsUnique((call) => getBody(call).workflow === workflow && !call.query.force),
  ),
  ...mutantPerValue(
    "DEDUPE-INFLIGHT",
    "in-flight status",
    "starts identical work besides work that is * instead of answering that job",
    (status) => makeParamsUnique((call, world) => getIdenticalJob(world, call)?.status === status && !call.query.force),
  ),
  {
    name: "answers with a job in flight only before twenty other submissions instead of after any number",
    breaks: "DEDUPE-INFLIGHT",
    around: makeParamsUnique((call, world) => {
      const twin = getIdenticalJob(world, call);
      return twin !== undefined && twin.serial < (world.serials.job_row ?? 0) - 20 && !call.query.force;
    }),
  },
  {
    name: "compares the texts of params without their case instead of letter by letter",
    breaks: "DEDUPE-PARAMS-DIFFER",
    around: changeSubmissionBody(({ params, ...body }) => ({
      ...body,
      params: JSON.parse(JSON.stringify(params ?? {}).toLowerCase()),
    })),
  },
  {
    name: "ignores the paths of a submission instead of comparing them",
    breaks: "DEDUPE-PARAMS-DIFFER",
    around: changeSubmissionBody(({ params, ...body }) => {
      const { paths: _, ...rest } = Object(params);
      return { ...body, params: rest };
    }),
  },
  {
    name: "answers an audit with a standard audit in flight instead of starting it",
    breaks: "DEDUPE-WORKFLOW-DIFFERS",
    around: wrapRoute(submitRoute, (world, call, perform) => {
      const standard = withBody(call, { workflow: "standard_audit" });
      return perform(world, getBody(call).workflow === "audit" && inFlight(world, standard, "here") ? standard : call);
    }),
  },
  {
    name: "answers with identical work on another repository instead of starting a job",
    breaks: "DEDUPE-REPO-DIFFERS",
    around: wrapRoute(submitRoute, (world, call, perform) => {
      const job = inFlight(world, call, "here") ?? inFlight(world, call, "elsewhere");
      const { owner, repo, branch } = (job && world.repos[job.repo]) ?? {};
      return perform(world, owner && repo && branch ? withParams(call, { owner, repo, branch }) : call);
    }),
  },
  ...["standard_audit", "audit", "discover"].map(
    (workflow): Mutant => ({
      name: `answers with an identical ${workflow} on an earlier commit instead of starting a job`,
      breaks: "DEDUPE-COMMIT-DIFFERS",
      around: wrapRoute(submitRoute, (world, call, perform) => {
        const job = inFlight(world, call, "here");
        const fields = job?.workflow === workflow ? { head_commit: job.commit } : {};
        return withTemporaryFields(getRepo(world, call), fields, () => perform(world, call));
      }),
    }),
  ),
  {
    name: "starts work in flight again by the tool instead of answering the existing job",
    breaks: "DEDUPE-NOTHING-ENQUEUED",
    ...wrapTool("submit_job", (world, call, performTool) => {
      const jobs = Object.values(world.jobs).filter(({ finished_at }) => finished_at === null);
      for (const job of jobs) job.finished_at = world.now;
      const response = performTool(world, call);
      for (const job of jobs) job.finished_at = null;
      return response;
    }),
  },
  {
    name: "treats force=false as true instead of false",
    breaks: "DEDUPE-COMPLETED",
    around: wrapRoute(submitRoute, (world, call, perform) =>
      perform(world, call.query.force ? withQuery(call, { force: "true" }) : call),
    ),
  },
  {
    name: "compares a submission only with the newest identical job instead of with all",
    breaks: "DEDUPE-COMPLETED",
    around: wrapRoute(submitRoute, (world, call, perform) => {
      const jobs = Object.values(world.jobs);
      const newest = new Map(jobs.map((job) => [job.fingerprint, job]));
      const older = jobs.filter((job) => job.status === "completed" && newest.get(job.fingerprint) !== job);
      for (const job of older) job.status = "failed";
      const response = perform(world, call);
      for (const job of older) job.status = "completed";
      return response;
    }),
  },
  {
    name: "compares params by name alone instead of by name and value",
    breaks: "DEDUPE-PARAMS-DIFFER",
    around: wrapRoute(submitRoute, (world, call, perform) => {
      const { workflow, params } = getBody(call) as { workflow: string; params?: object };
      const names = Object.entries(params ?? {}).map(([name, value]) => [name, Array.isArray(value) ? ["any"] : value]);
      return perform(world, workflow === "standard_audit" ? withBody(call, { params: Object.fromEntries(names) }) : call);
    }),
  },
  {
    name: "drops the params of a job that the tool submits instead of keeping them",
    breaks: "DEDUPE-PARAMS-DIFFER",
    ...wrapTool("submit_job", (world, call, performTool) => {
      const { workflow, params } = call.arguments;
      return performTool(
        world,
        workflow === "standard_audit" && params ? withArguments(call, { ...call.arguments, params: {} }) : call,
      );
    }),
  },
];

function getExisting({ body }: ServiceResponse, call: IncomingCall): string {
  if (call.idempotencyKey !== undefined) return "Idempotency-Key";
  return (body as Shown).status === "completed" ? "completed" : "in flight";
}

/** A job in flight of the workflow and params of a submission, on the same repository or on another of the workspace. */
function inFlight(world: World, call: IncomingCall, where: "here" | "elsewhere"): Job | undefined {
  const repo = getRepo(world, call);
  const { workflow, params } = getBody(call);
  return Object.values(world.jobs).find(
    (job) =>
      job.workspace === repo?.workspace &&
      (job.repo === repo.id) === (where === "here") &&
      job.workflow === workflow &&
      JSON.stringify(job.params) === JSON.stringify(params) &&
      job.finished_at === null,
  );
}
