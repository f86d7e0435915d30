import { wrapTool } from "./family.js";
import { day } from "./helpers/durations.js";
import {
  type Disguised,
  disguised,
  getJob,
  isAnonymous,
  isForced,
  isOnFree,
  isOtherBranch,
  refusal,
  refuse,
  refuseSecondReset,
} from "./helpers/legal-choices.js";
import {
  cancelRoute,
  completeRoute,
  createKeyRoute,
  deleteRepoRoute,
  fixRoute,
  observationsRoute,
  registerRoute,
  repoRoute,
  resetRoute,
  submitRoute,
  ticketRoute,
} from "./helpers/routes.js";
import { getBody, getKey, getObservation, getSession, param, withArguments, withRows, wrapRoute } from "./mutant.js";

/** Mutants each of which looks like a legal choice where the contract leaves none. */
export const legalChoiceMutants: Disguised[] = [
  disguised(
    "this route takes no session of the web app",
    "REPO-DELETE-ADMIN",
    "refuses the account owner's session on a deletion as no key instead of serving it like an admin's",
    refuse(deleteRepoRoute, (world, call) => getSession(world, call)?.role === "owner", 401, {
      type: "authentication_error",
      code: "missing_key",
    }),
  ),
  disguised(
    "the limit is not reached in the time that the run may wait",
    "BUCKET-REPO-RESET",
    "serves every reset instead of five a minute",
    wrapRoute(resetRoute, (world, call, perform) => {
      const windows = world.rates[getKey(world, call)?.id ?? ""] ?? {};
      const response = perform(world, call);
      for (const window of Object.values(windows)) window.used = 0;
      return response;
    }),
  ),
  disguised(
    "the server answers a method that a path does not have with another status than 405",
    "ERR-ENVELOPE-ONE",
    "answers a method that a path does not have with 404 without an envelope instead of with one",
    (world, call, perform) => {
      const response = perform(world, call);
      return response.status === 405 ? { ...response, status: 404, body: { detail: "Not Found" } } : response;
    },
  ),
  disguised(
    "the server answers a body of another content type with another status than 415",
    "ERR-ENVELOPE-TYPE",
    "answers a body of another content type with 422 and a type that is not in the table instead of one that is",
    (world, call, perform) => {
      const response = perform(world, call);
      return response.status === 415 ? refusal(response, 422, { type: "unsupported_media_type", code: "bad_request" }) : response;
    },
  ),
  disguised(
    "the server answers a method that a path does not have with a status that has its own type",
    "ERR-ENVELOPE-TYPE",
    "answers a method that a path does not have with 409 and a type that is not in the table instead of one that is",
    (world, call, perform) => {
      const response = perform(world, call);
      return response.status === 405 ? refusal(response, 409, { type: "method_error", code: "method_not_allowed" }) : response;
    },
  ),
  disguised(
    "the plan of the workspace does not include the workflow",
    "WORKFLOW-AUDIT-PLANS",
    "refuses `standard_audit` on Free as not included instead of taking it on every plan",
    refuse(submitRoute, (world, call) => isOnFree(world, call) && getBody(call).workflow === "standard_audit", 402, {
      type: "billing_error",
      code: "workflow_not_entitled",
      details: { allowed_workflows: ["audit", "discover", "fix", "review"] },
    }),
  ),
  disguised(
    "the plan of the workspace has no room for another repository",
    "REPO-FIELD-ACCESS-ANONYMOUS",
    "refuses every anonymous registration as beyond the cap instead of those beyond it",
    refuse(registerRoute, isAnonymous, 400, { type: "invalid_request_error", code: "repo_cap_exceeded" }),
  ),
  {
    looksLike: "the hourly spend ceiling of the workspace refuses the run",
    breaks: "MCP-TOOL-RETRY",
    name: "refuses retries of cancelled jobs as beyond the hour's budget instead of starting them, on the tool server",
    ...wrapTool("retry_job", (world, call, performTool) => {
      const isMeant = world.jobs[String(call.arguments.job_id)]?.status === "cancelled";
      const response = performTool(world, isMeant ? withArguments(call, { job_id: "none" }) : call);
      return isMeant && response.status === 404
        ? refusal(response, 429, { type: "rate_limit_error", code: "rate_limit_budget" })
        : response;
    }),
  },
  disguised(
    "the workspace has no credit for the run",
    "JOB-SUBMIT-FORCE",
    "refuses forced submissions for lack of credit instead of starting them",
    refuse(submitRoute, isForced, 402, { type: "billing_error", code: "insufficient_credit" }),
  ),
  disguised(
    "the workspace does not have the beta feature",
    "WORKFLOW-AUDIT-PLANS",
    "refuses `audit` on Free as a beta feature instead of taking it on every plan",
    refuse(submitRoute, (world, call) => isOnFree(world, call) && getBody(call).workflow === "audit", 403, {
      type: "permission_error",
      code: "feature_not_enabled",
    }),
  ),
  disguised(
    "the workspace does not take another key, or not this one",
    "KEY-FIELD-EXPIRES",
    "refuses keys that live a week or less instead of creating them",
    refuse(createKeyRoute, (world, call) => Date.parse(String(getBody(call).expires_at)) - world.now <= 7 * day, 422, {
      type: "validation_error",
      code: "invalid_payload",
    }),
  ),
  disguised(
    "the server does not register this repository, which is registered already",
    "REPO-REGISTER-OTHER-BRANCH",
    "refuses another branch of a registered repository as registered already instead of registering it",
    refuse(registerRoute, isOtherBranch, 409, { type: "conflict", code: "repo_already_registered" }),
  ),
  disguised(
    "the server does not register this repository, which it cannot find",
    "REPO-FIELD-ACCESS-ANONYMOUS",
    "refuses every anonymous registration as no longer public instead of those of repositories that are not",
    refuse(registerRoute, isAnonymous, 400, { type: "invalid_request_error", code: "repo_no_longer_public" }),
  ),
  disguised(
    "the server wants another body for a registration",
    "REPO-FIELD-ACCESS-DEFAULT",
    "refuses a registration without `access_mode` instead of taking the default",
    refuse(registerRoute, (_, call) => getBody(call).access_mode === undefined, 422, {
      type: "validation_error",
      code: "invalid_payload",
    }),
  ),
  disguised(
    "the workflow does not take these params",
    "JOB-SUBMIT-FORCE",
    "refuses the params of forced submissions instead of starting them",
    refuse(submitRoute, isForced, 422, { type: "validation_error", code: "invalid_payload" }),
  ),
  disguised(
    "the server does not fix this observation",
    "OBS-FIX-MAKES-JOB",
    "refuses to fix an acknowledged observation instead of starting a fix",
    refuse(fixRoute, (world, call) => Boolean(getObservation(world, call)?.acknowledged_at), 422, {
      type: "invalid_request_error",
      code: "observation_not_fixable",
    }),
  ),
  disguised(
    "the repository has no ticket integration",
    "OBS-TICKET-ROUTE",
    "refuses tickets for suggestions as if the repository had no ticket integration",
    refuse(ticketRoute, (world, call) => getObservation(world, call)?.kind === "suggestion", 422, {
      type: "invalid_request_error",
      code: "no_ticket_integration",
    }),
  ),
  disguised(
    "the server wants another body for a ticket, or has one already",
    "OBS-TICKET-ROUTE",
    "refuses the body of a ticket for advisories instead of publishing it",
    refuse(ticketRoute, (world, call) => getObservation(world, call)?.kind === "advisory", 400, {
      type: "invalid_request_error",
      code: "bad_request",
    }),
  ),
  disguised(
    "the server refuses a change of an observation in this state",
    "OBS-COMPLETE-CLOSES",
    "refuses to complete an acknowledged observation instead of closing it",
    refuse(completeRoute, (world, call) => Boolean(getObservation(world, call)?.acknowledged_at), 409, {
      type: "conflict",
      code: "conflict",
    }),
  ),
  disguised(
    "the key does not have the permission",
    "JOB-CANCEL-RUNNING",
    "refuses a key with every scope that cancels a running job as without permission",
    refuse(cancelRoute, (world, call) => getJob(world, call)?.status === "running", 403, {
      type: "permission_error",
      code: "permission_denied",
    }),
  ),
  disguised(
    "the workspace has no such observation",
    "OBS-FIX-UNMERGED",
    "leaves an observation whose fix PR was closed unmerged out of the `status=new` list instead of bringing it back",
    wrapRoute(observationsRoute, (world, call, perform) => {
      const response = perform(world, call);
      return call.query.status?.[0] === "new"
        ? withRows(response, (rows: { ref: string }[]) =>
            rows.filter(({ ref }) => world.observations[ref]?.fix_pr?.status !== "closed"),
          )
        : response;
    }),
  ),
  disguised(
    "the server wants other values for the flags of a reset",
    "REPO-RESET-ROUTE",
    "refuses the flags of a repository's second reset instead of taking them",
    refuseSecondReset(),
  ),
  disguised(
    "the server did not register this repository",
    "REPO-GET-ROUTE",
    "answers the detail of a repository that was registered as anonymous with 404 instead of showing it",
    refuse(
      repoRoute,
      (world, call) =>
        Object.values(world.repos).some(
          ({ access_mode, owner, repo, branch, deleted_at }) =>
            access_mode === "anonymous" &&
            !deleted_at &&
            owner === param(call, "owner") &&
            repo === param(call, "repo") &&
            branch === param(call, "branch"),
        ),
      404,
      { type: "not_found", code: "not_found" },
    ),
  ),
];
