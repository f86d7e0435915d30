import type { WorkflowName } from "../../src/contract/types.js";
import type { IncomingCall, ServiceResponse } from "../../src/service/call.js";
import { createJob } from "../../src/service/jobs/jobs.js";
import type { World } from "../../src/service/world/world.js";
import { changeMatchingResponses, mutantPerValue, wrapTool } from "./family.js";
import {
  createUnwantedJob,
  drawRunCost,
  getIdenticalJob,
  getWorkspace,
  isSubmission,
  makeParamsUnique,
  onSubmitted,
} from "./helpers/jobs.js";
import { wrapSignedInCalls } from "./helpers/keys.js";
import { withoutHourlyCeiling } from "./helpers/rates.js";
import { submitRoute } from "./helpers/routes.js";
import {
  changeResponses,
  getBody,
  getRepo,
  type Mutant,
  type Shown,
  type WrapCall,
  withBody,
  withError,
  withParams,
  withQuery,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

const whys: Record<string, string> = {
  workflow_not_entitled: "plan",
  feature_not_enabled: "beta",
  insufficient_credit: "credit",
};

/** Mutants that break a clause of JOB-SUBMIT-*. */
export const jobSubmitMutants: Mutant[] = [
  {
    name: "ignores force instead of starting a new job",
    breaks: "JOB-SUBMIT-FORCE",
    around: (world, call, perform) => perform(world, withQuery(call, { force: undefined })),
  },
  wrapSignedInCalls(
    "starts work for a signed-in person without credit instead of refusing it",
    "JOB-SUBMIT-CREDIT",
    submitRoute,
    (world, call, perform, session) =>
      withTemporaryFields(world.workspaces[session.workspace], { credit_usd: 1000 }, () => perform(world, call)),
  ),
  ...mutantPerValue("JOB-SUBMIT-CREDIT", "paid operation", "starts work without credit instead of refusing it: *", {
    rest: (route) =>
      wrapRoute(route, (world, call, perform) =>
        withTemporaryFields(getWorkspace(world, call), { credit_usd: 1000 }, () => perform(world, call)),
      ),
    mcp: (tool) =>
      wrapTool(tool, (world, call, performTool) =>
        withTemporaryFields(call.caller.workspace, { credit_usd: 1000 }, () => performTool(world, call)),
      ),
  }),
  ...mutantPerValue(
    "JOB-SUBMIT-BUDGET",
    "paid operation",
    "answers 403 to work beyond a key's hourly dollars instead of 429: *",
    (route) =>
      changeResponses(route, (response) =>
        response.rule.code === "rate_limit_budget"
          ? { ...withError(response, { type: "permission_error" }), status: 403 }
          : response,
      ),
  ),
  ...mutantPerValue(
    "JOB-SUBMIT-BUDGET",
    "spend level",
    "accepts paid work beyond the hourly ceiling of the * instead of refusing it",
    withoutHourlyCeiling,
  ),
  ...mutantPerValue(
    "JOB-SUBMIT-BODY-INVALID",
    "submission fault",
    "accepts a submission with * instead of refusing it",
    (fault) =>
      wrapRoute(submitRoute, (world, call, perform) => perform(world, withBody(call, removeFault(fault, getBody(call))))),
  ),
  ...mutantPerValue("JOB-SUBMIT-BODY-INVALID", "submission fault", "answers 400 to a submission with * instead of 422", (fault) =>
    changeResponses(submitRoute, (response, _world, call) =>
      response.status === 422 && Object.keys(removeFault(fault, getBody(call))).length > 0
        ? { ...response, status: 400 }
        : response,
    ),
  ),
  ...mutantPerValue(
    "JOB-SUBMIT-ONLY-201",
    "start status",
    "leaves a job behind after an answer that starts none instead of none: *",
    (why) => createUnwantedJob((response, call) => getOutcome(response, call) === why),
  ),
  ...mutantPerValue(
    "JOB-SUBMIT-RESPONSE",
    "submitted workflow",
    "answers another workflow than the submitted one instead of the same one: *",
    (workflow) => onSubmitted(workflow, 201, (job) => ({ ...job, workflow: "discover" })),
  ),
  ...mutantPerValue(
    "JOB-SUBMIT-RESPONSE",
    "job answer status",
    "leaves the repository out of a submitted job that it answers with * instead of naming it",
    (status) =>
      changeResponses(submitRoute, (response) => {
        const { repo_name: _, ...job } = response.body as Shown;
        return String(response.status) === status ? { ...response, body: job } : response;
      }),
  ),
  ...mutantPerValue(
    "JOB-SUBMIT-CREATED",
    "submitted workflow",
    "answers 200 to a new submission of * instead of 201",
    (workflow) =>
      changeMatchingResponses(
        (response, call) => response.status === 201 && isSubmission(call, workflow),
        (response) => ({ ...response, status: 200 }),
      ),
  ),
  ...mutantPerValue(
    "JOB-SUBMIT-FORCE-INFLIGHT",
    "in-flight status",
    "starts by force work that is * instead of answering the job in flight",
    (status) =>
      makeParamsUnique((call, world) => getIdenticalJob(world, call)?.status === status && call.query.force !== undefined),
  ),
  {
    name: "answers 403 to work without credit instead of 402",
    breaks: "JOB-SUBMIT-CREDIT",
    around: refusedFor("insufficient_credit", (response) => ({
      ...withError(response, { type: "permission_error" }),
      status: 403,
    })),
  },
  ...[
    ["plan", "revalidate", "workflow_not_entitled"],
    ["credit", "standard_audit", "insufficient_credit"],
    ["beta", "task", "feature_not_enabled"],
    ["scope", "audit", "insufficient_scope"],
    ["params", "standard_audit", "invalid_payload"],
  ].map(
    ([why, workflow, code]): Mutant => ({
      name: `refuses for the ${why} and leaves a job behind instead of none`,
      breaks: "JOB-SUBMIT-ONLY-201",
      around: getLeaveJob(workflow as WorkflowName, ({ rule }) => rule.code === code),
    }),
  ),
  ...mutantPerValue(
    "JOB-SUBMIT-PARAMS-INVALID",
    "workflow with params",
    "ignores unknown params of * instead of refusing them",
    (workflow) =>
      wrapRoute(submitRoute, (world, call, perform) => {
        const { params, workflow: sent } = getBody(call) as { params?: Shown; workflow?: string };
        if (sent !== workflow || !params || !("no_such_parameter" in params)) return perform(world, call);
        const { no_such_parameter: _, ...rest } = params;
        return perform(world, withBody(call, { params: { ...validParams(world, workflow), ...rest } }));
      }),
  ),
  ...mutantPerValue(
    "JOB-SUBMIT-PARAMS-NOERRORS",
    "workflow with params",
    "lists invalid params of * as field errors instead of one message",
    (workflow) => acceptUnfitParams({ errors: [{ loc: ["params"], msg: "does not fit" }] }, workflow),
  ),
  {
    name: "answers 400 to invalid params instead of 422",
    breaks: "JOB-SUBMIT-PARAMS-INVALID",
    around: acceptUnfitParams({ code: "bad_request" }),
  },
  {
    name: "leaves the message out for invalid params instead of explaining them",
    breaks: "JOB-SUBMIT-PARAMS-MESSAGE",
    around: acceptUnfitParams({ message: "" }),
  },
  ...(
    [
      ["POST /api/repos/{owner}/{repo}/{branch}/jobs", "JOB-SUBMIT-CREATED"],
      ["GET /api/repos/{owner}/{repo}/{branch}/discovery", "REPO-READ-DISCOVERY"],
      ["GET /api/repos/{owner}/{repo}/{branch}/knowledge", "REPO-READ-KNOWLEDGE"],
      ["GET /api/repos/{owner}/{repo}/{branch}/fix-prs", "REPO-READ-FIXPRS"],
      ["GET /api/repos/{owner}/{repo}/{branch}/forecasts", "FORECAST-REPO-ROUTE"],
    ] satisfies [string, Mutant["breaks"]][]
  ).flatMap(([route, breaks]) =>
    (["installed", "anonymous"] as const).map(
      (mode): Mutant => ({
        name: `answers 404 on ${route} for a repository just registered as ${mode} instead of finding it`,
        breaks,
        around: wrapRoute(route, (world, call, perform) => {
          const repo = getRepo(world, call);
          const isMeant = repo?.access_mode === mode && repo.discovery.length === 0;
          return perform(world, isMeant ? withParams(call, { repo: "none" }) : call);
        }),
      }),
    ),
  ),
  {
    name: "treats a job that was cancelled while it ran as in flight instead of finished",
    breaks: "JOB-SUBMIT-FORCE",
    around: wrapRoute(submitRoute, (world, call, perform) => {
      const stoppedJobs = Object.values(world.jobs).filter((job) => job.status === "cancelled" && job.started_at !== null);
      const ends = new Map(stoppedJobs.map((job) => [job, job.finished_at]));
      for (const job of stoppedJobs) job.finished_at = null;
      const response = perform(world, call);
      for (const [job, end] of ends) job.finished_at = end;
      return response;
    }),
  },
  {
    name: "treats Idempotency-Keys that differ only in letter case as one instead of two",
    breaks: "JOB-SUBMIT-CREATED",
    around: wrapRoute(submitRoute, (world, call, perform) =>
      perform(world, { ...call, idempotencyKey: call.idempotencyKey?.toLowerCase() }),
    ),
  },
  {
    name: "compares only the beginning of an Idempotency-Key instead of all of it",
    breaks: "JOB-SUBMIT-CREATED",
    around: wrapRoute(submitRoute, (world, call, perform) =>
      perform(world, { ...call, idempotencyKey: call.idempotencyKey?.slice(0, 24) }),
    ),
  },
  {
    name: "charges the hour for a submission answered with an existing job instead of charging nothing",
    breaks: "JOB-SUBMIT-ONLY-201",
    around: drawRunCost((status) => status === 200),
  },
];

/** Returns a faulty submission without this fault, or undefined if it does not have it. */
function removeFault(fault: string, body: Shown): Shown {
  if (fault === "no workflow") return body.workflow === undefined ? { workflow: "standard_audit" } : {};
  if (fault === "workflow no string")
    return body.workflow !== undefined && typeof body.workflow !== "string" ? { workflow: "standard_audit" } : {};
  const { params } = body;
  return params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params)) ? { params: {} } : {};
}

/** Returns the outcome of a submission that started no job. */
function getOutcome({ status, rule }: ServiceResponse, call: IncomingCall): string | undefined {
  if (status === 200) return "200";
  if (rule.code !== "invalid_payload") return whys[rule.code ?? ""];
  return getBody(call).workflow === "mini_audit" ? "retired" : "params";
}

function refusedFor(code: string, change: (response: ServiceResponse) => ServiceResponse): WrapCall {
  return changeResponses(submitRoute, (response) => (response.rule.code === code ? change(response) : response));
}

/** Refuses params that the workflow rejects with another error. */
/** The params that a workflow must have. */
function validParams({ observations }: World, workflow: string): object {
  if (workflow === "fix") return { ref: Object.values(observations).at(-1)?.ref };
  return workflow === "task" ? { directive: "Tidy the imports." } : {};
}

function acceptUnfitParams(error: Shown, workflow?: string): WrapCall {
  const isSemantic = ({ rule }: ServiceResponse) => rule.code === "invalid_payload" && rule.gate === "operation";
  return changeResponses(submitRoute, (response, _world, call) =>
    isSemantic(response) && [undefined, getBody(call).workflow].includes(workflow) ? withError(response, error) : response,
  );
}

/** Creates a job for a submission that starts none; of the requested workflow, unless one is given. */
function getLeaveJob(
  workflow: WorkflowName | undefined,
  isMeant: (response: ServiceResponse, call: IncomingCall) => boolean,
): WrapCall {
  return changeResponses(submitRoute, (response, world, call) => {
    const repo = getRepo(world, call);
    if (!repo || !isMeant(response, call)) return response;
    createJob(world, { repo, workflow: workflow ?? (getBody(call).workflow as WorkflowName), params: {} });
    return response;
  });
}
