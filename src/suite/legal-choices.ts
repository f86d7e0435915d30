import type { UnsuitedAnswer } from "../engine/http/response-rules.js";
import { isRecord } from "../engine/scenario/interpolate.js";
import { type Operation, toolEffects } from "./statements/operations.js";

/** A response that makes a check inconclusive, with the error of a refusal. */
interface PreparationResponse extends Omit<UnsuitedAnswer, "body" | "text"> {
  error: Record<string, unknown>;
}

/** A choice that the contract leaves to a server: the behaviour, and what the vendor can offer so that the check can be judged. */
interface LegalChoice {
  isMade(response: PreparationResponse): boolean;
  choice: string;
  /** The place in the contract that leaves the choice. */
  at: string;
  offer: string;
}

const TRIAGE: readonly Operation[] = [
  "POST /api/observations/{ref}/dismiss",
  "POST /api/observations/{ref}/reopen",
  "POST /api/observations/{ref}/complete",
  "POST /api/observations/{ref}/acknowledge",
];
const JOB_ACTIONS: readonly Operation[] = ["POST /api/jobs/{job_id}/cancel", "POST /api/jobs/{job_id}/retry"];
/** The clauses about refusals of a caller whose spend has reached a ceiling. */
const SPEND_CLAUSES = /^(SPEND-(REGISTER|SUBMIT|RETRY|FIX|CODE)|JOB-SUBMIT-BUDGET|KEY-FIELD-DOLLARS)$/;
const RESET: Operation = "POST /api/repos/{owner}/{repo}/{branch}/reset";
const SUBMISSION: Operation = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
/** The operations whose response contains a job: a new one, or an existing one with 200. */
const JOB_STARTS: readonly Operation[] = [SUBMISSION, "POST /api/jobs/{job_id}/retry"];
/** The four operations that start paid work (section 8, Spend ceiling). */
const PAID_OPERATIONS: readonly Operation[] = [...JOB_STARTS, "POST /api/repos", "POST /api/observations/{ref}/fix"];
const PAID_TOOLS = Object.entries(toolEffects).flatMap(([purpose, effect]) => (effect === "paid" ? [`tool ${purpose}`] : []));
/** The routes that a signed-in user calls, by section 5, rule 2, and section 4, API keys. */
const SIGNED_IN: readonly Operation[] = ["POST /api/keys", "PATCH /api/keys/{key_id}"];
/** The tools whose structured content checks read. */
const RESULTS_OF_OPEN_FORM = /^tool (forecast|repository_overview|explain_observation)$/;
const isTool = ({ operation }: Pick<PreparationResponse, "operation">) => operation.startsWith("tool ");
/** A refusal with one of these statuses, or by a tool with any status. */
const isRefusedWith = (statuses: readonly number[], response: PreparationResponse) =>
  isTool(response) || statuses.includes(response.status);
const hasOperationIn = (operations: readonly Operation[], { operation }: Pick<PreparationResponse, "operation">) =>
  operations.some((one) => one === operation);
/** The status and error type with which a server refuses a request that it takes as one without a key or a route (section 7). */
const UNSERVED_STATUSES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  404: "not_found",
  405: "invalid_request_error",
};
/** A refusal of a session on a route for which no section states that it accepts one. */
const isForSession = (response: PreparationResponse) => {
  const { hasSession, status, error } = response;
  const type = UNSERVED_STATUSES[status];
  return hasSession && !hasOperationIn(SIGNED_IN, response) && type !== undefined && (error.type ?? type) === type;
};
/** A success although the check needs the refusal of a request over a rate limit. A spend ceiling is not a rate limit. */
const isBelowLimit = ({ clauses, wanted, status }: PreparationResponse) =>
  status < 300 && wanted === 429 && !clauses.some((clause) => SPEND_CLAUSES.test(clause));
/** A refusal for the state of a resource: `conflict`, or "a resource state that cannot satisfy it" (section 7). */
const isForState = ({ status, error: { type } }: PreparationResponse) =>
  status === 409 || ((status === 400 || status === 422) && type === "invalid_request_error");
/** Section 7, billing_error: the fields by which a refusal names the plan. */
const namesPlan = ({ error: { details, code, required_features } }: PreparationResponse) =>
  (isRecord(details) && details.allowed_workflows !== undefined) || code === "plan_restricted" || required_features !== undefined;
const isForBody = ({ status, error: { code } }: PreparationResponse) =>
  (status === 400 || status === 422) && (code === "invalid_payload" || code === "bad_request");

/** The choices that make a check inconclusive, the most specific first. */
const legalChoices: readonly LegalChoice[] = [
  {
    isMade: isForSession,
    choice: "this route takes no session of the web app",
    at: "section 5, rule 2: no section shows which routes take a sign-in",
    offer: "serve the route for the sessions of the target file",
  },
  {
    // A submission that is served may also be below a spend ceiling.
    isMade: (response) =>
      isBelowLimit(response) && (response.clauses.includes("BUCKET-CODE") || !hasOperationIn(PAID_OPERATIONS, response)),
    choice: "the limit is not reached in the time that the run may wait",
    at: "section 8 shows no moment at which a minute begins",
    offer: "offer a clock in the target file, or raise --max-wait",
  },
  {
    // No path has PUT.
    isMade: ({ operation, status }) => operation.startsWith("PUT ") && status >= 400,
    choice: "the server answers a method that a path does not have with another status than 405",
    at: "section 7, invalid_request_error: no rule names the status",
    offer: "answer it with 405",
  },
  {
    // A server may also ignore the content type and read the body as JSON.
    isMade: ({ clauses, status }) => clauses.includes("ERR-TYPE-FALLBACK-415") && [200, 201, 400, 422].includes(status),
    choice: "the server answers a body of another content type with another status than 415",
    at: "section 7, invalid_request_error: no rule names the status",
    offer: "answer it with 415",
  },
  {
    isMade: ({ clauses, status }) => clauses.includes("ERR-TYPE-FALLBACK") && [402, 403, 404, 409, 422].includes(status),
    choice: "the server answers a method that a path does not have with a status that has its own type",
    at: "section 7, invalid_request_error: no rule names the status",
    offer: "answer it with another 4xx",
  },
  {
    isMade: (response) => isRefusedWith([402], response) && namesPlan(response),
    choice: "the plan of the workspace does not include the workflow",
    at: "section 4, Submit a job, rule 2; section 7, billing_error",
    offer: "give the key a workspace whose plan includes it",
  },
  {
    isMade: (response) => isRefusedWith([400, 403], response) && /^(plan_)?repo_cap_exceeded$/.test(String(response.error.code)),
    choice: "the plan of the workspace has no room for another repository",
    at: "section 4, Registration rules, rule 3",
    offer: "give the key a workspace with room",
  },
  {
    isMade: (response) => isRefusedWith([403], response) && response.error.code === "plan_repo_size_exceeded",
    choice: "the plan of the workspace takes no repository of this size",
    at: "section 4, Registration rules, rule 3",
    offer: "name a smaller repository in bindings.spare",
  },
  {
    isMade: (response) =>
      ((response.status === 429 && hasOperationIn(PAID_OPERATIONS, response)) || isTool(response)) &&
      response.error.code === "rate_limit_budget",
    choice: "the hourly spend ceiling of the workspace refuses the run",
    at: "section 8, Spend ceiling",
    offer: "raise the ceiling of the workspace",
  },
  {
    // A tool error has no status, and REST pairs this type with 402.
    isMade: (response) =>
      ((response.status === 402 && hasOperationIn(PAID_OPERATIONS, response)) || PAID_TOOLS.includes(response.operation)) &&
      response.error.type === "billing_error",
    choice: "the workspace has no credit for the run",
    at: "section 4, Submit a job, rule 5",
    offer: "give the workspace more credit",
  },
  {
    isMade: (response) => isRefusedWith([403], response) && response.error.code === "feature_not_enabled",
    choice: "the workspace does not have the beta feature",
    at: "section 4, Submit a job, rule 4",
    offer: "enable it in the workspace of keys.beta",
  },
  {
    // The contract names no code for the 26th key, and only four fields of a key.
    isMade: ({ operation, status }) => operation === "POST /api/keys" && [400, 403, 409, 422].includes(status),
    choice: "the workspace does not take another key, or not this one",
    at: "section 5, rule 3; field names are not shown",
    offer: "revoke keys, and state the names of the fields in bindings.key_name_field and bindings.key_scopes_field",
  },
  {
    isMade: (response) => isRefusedWith([409], response) && response.error.code === "repo_already_registered",
    choice: "the server does not register this repository, which is registered already",
    at: "section 4, Registration rules, rule 3",
    offer: "name a repository in bindings.spare that is not",
  },
  {
    isMade: ({ operation, status, error: { code } }) =>
      operation === "POST /api/repos" && (code === "repo_no_longer_public" || status === 404),
    choice: "the server does not register this repository, which it cannot find",
    at: "section 4, Registration rules, rule 3",
    offer: "name a public repository in bindings.spare",
  },
  {
    isMade: (response) => response.operation === "POST /api/repos" && isForBody(response),
    choice: "the server wants another body for a registration",
    at: "section 4, Repositories: other body fields are not shown",
    offer: "state the fields of the body in bindings.register_body",
  },
  {
    isMade: (response) => response.operation === SUBMISSION && isForBody(response),
    choice: "the workflow does not take these params",
    at: "section 4, Submit a job, rule 9",
    offer: "state valid params in bindings.job_params",
  },
  {
    isMade: (response) => response.operation === "POST /api/observations/{ref}/fix" && isForState(response),
    choice: "the server does not fix this observation",
    at: "section 7, invalid_request_error and conflict",
    offer: "offer drive.find, and findings that the server fixes",
  },
  {
    isMade: (response) => isRefusedWith([400, 422], response) && response.error.code === "no_ticket_integration",
    choice: "the repository has no ticket integration",
    at: "section 4, publish-ticket",
    offer: "name in bindings.tickets a repository that has one",
  },
  {
    isMade: ({ operation, status }) =>
      operation === "POST /api/observations/{ref}/publish-ticket" && [400, 409, 422].includes(status),
    choice: "the server wants another body for a ticket, or has one already",
    at: "section 4, publish-ticket: the body is not shown",
    offer: "name in bindings.tickets a repository whose observations have no ticket",
  },
  {
    // The contract names no code for a change that the state forbids.
    isMade: (response) => hasOperationIn(TRIAGE, response) && [400, 403, 409, 422].includes(response.status),
    choice: "the server refuses a change of an observation in this state",
    at: "section 3 shows no result for it; section 7, conflict",
    offer: "offer drive.find, so that each check has its own observation",
  },
  {
    isMade: ({ status, error: { type } }) => status === 403 && type === "permission_error",
    choice: "the key does not have the permission",
    at: "section 5, rule 4",
    offer: "give the key of the role every scope that its description names",
  },
  {
    isMade: ({ operation, status }) => operation === "GET /api/observations" && status === 200,
    choice: "the workspace has no such observation",
    at: "no section names observations that a workspace must have",
    offer: "offer drive.find or drive.seed-observations, or add such an observation",
  },
  {
    isMade: (response) => response.operation === RESET && isForBody(response),
    choice: "the server wants other values for the flags of a reset",
    at: "section 4, Repositories: value types of the flags are not shown",
    offer: "take true for a flag",
  },
  {
    isMade: ({ operation, status, clauses }) =>
      operation === "GET /api/repos/{owner}/{repo}/{branch}" && status === 404 && clauses.length === 0,
    choice: "the server did not register this repository",
    at: "section 4, Registration rules, rule 3",
    offer: "give the workspace room for more repositories",
  },
  {
    isMade: ({ operation, status, clauses, served }) =>
      operation === "GET /api/jobs/{job_id}" && status === 404 && clauses.length === 0 && served.includes(RESET),
    choice: "a reset removes the jobs in flight",
    at: "section 4, Repositories: what a flag of a reset removes is not shown",
    offer: "keep the jobs in flight",
  },
  {
    isMade: (response) => hasOperationIn(JOB_STARTS, response) && response.status === 200,
    choice: "the server returns an existing job and starts none",
    at: "section 4, Submit a job, rule 7",
    offer: "offer worlds, so that no earlier job matches",
  },
  {
    isMade: (response) =>
      hasOperationIn(PAID_OPERATIONS, response) &&
      response.status < 300 &&
      response.clauses.some((clause) => SPEND_CLAUSES.test(clause)),
    choice: "the spend of the hour has not reached the ceiling",
    at: "section 8, Spend ceiling: no section shows when a run is charged",
    offer: "offer worlds and a clock, and give keys.poor a ceiling that one run uses up",
  },
  {
    isMade: ({ operation, status, error }) =>
      RESULTS_OF_OPEN_FORM.test(operation) && status === 200 && Object.keys(error).length === 0,
    choice: "the tool shows its result in another form than the check reads",
    at: "section 4, Tool server, rule 5: the form of the result is not shown",
    offer: "give the result as structured content, with the fields of section 2, and the same while nothing changes",
  },
  {
    isMade: (response) => hasOperationIn(JOB_ACTIONS, response) && isForState(response),
    choice: "the job is in another state by then",
    at: "section 3, Job status: no section shows how long a run takes",
    offer: "offer a clock, and runs that last a minute or longer",
  },
  {
    isMade: ({ operation, status }) => /^GET .*jobs?(\/\{job_id\})?$/.test(operation) && status === 200,
    choice: "the list has too few jobs, or the job is in another state than the check needs",
    at: "section 3, Job status",
    offer: "offer drive.finish-job and a clock, or add jobs",
  },
];

/** The codes of refusals for a used-up resource, which a tool may write in a sentence. */
const QUOTA_CODE = /\b(rate_limit_budget|(?:plan_)?repo_cap_exceeded)\b/;

/** Returns the error of a refusal, or the code alone if a tool names it only in its text; undefined without either. */
export function readError(body: unknown, text: string): Record<string, unknown> | undefined {
  if (isRecord(body) && isRecord(body.error)) return body.error;
  const [code] = QUOTA_CODE.exec(text) ?? [];
  return code === undefined ? undefined : { code };
}

/** Returns which choice of the server a response shows, and what its vendor can offer instead; undefined if none is known. */
export function findChoice({ body, text, ...response }: UnsuitedAnswer): string | undefined {
  const error = readError(body, text) ?? {};
  if (isNoChoice({ ...response, error })) return undefined;
  const choice = legalChoices.find(({ isMade }) => isMade({ ...response, error }));
  return choice && `${choice.choice} (${choice.at}). To judge this, ${choice.offer}`;
}

/**
 * A broken or busy server, or one that refuses the caller, has made no choice. With a clock, each bucket is empty before a
 * burst, so an unreached limit is not a choice either.
 */
function isNoChoice(response: PreparationResponse): boolean {
  const { status, error, hasClock } = response;
  const isBusy = status >= 500 || (status === 429 && error.code !== "rate_limit_budget");
  return isBusy || (status === 401 && !isForSession(response)) || (hasClock && isBelowLimit(response));
}
