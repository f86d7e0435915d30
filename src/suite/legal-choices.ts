import { isRecord } from "../engine/scenario/interpolate.js";
import type { Operation } from "./statements/operations.js";

/** The answer to a request that prepares or controls a check: the operation, the status and the error of a refusal. */
interface PreparationAnswer {
  operation: string;
  status: number;
  error: Record<string, unknown>;
}

/** A choice that the contract leaves to a server: what the server does, and what its vendor can offer to judge the check all the same. */
interface LegalChoice {
  isMade(answer: PreparationAnswer): boolean;
  choice: string;
  offer: string;
}

const TRIAGE: readonly Operation[] = [
  "POST /api/observations/{ref}/dismiss",
  "POST /api/observations/{ref}/reopen",
  "POST /api/observations/{ref}/complete",
  "POST /api/observations/{ref}/acknowledge",
];
const SUBMISSION: Operation = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const isRefused = ({ status }: PreparationAnswer) => status >= 400;

/** The choices that keep a server from preparing a check, the most specific first. */
const choices: readonly LegalChoice[] = [
  {
    isMade: ({ error: { details } }) => isRecord(details) && details.allowed_workflows !== undefined,
    choice: "the plan of the workspace does not include the workflow",
    offer: "give the key a workspace whose plan includes it",
  },
  {
    isMade: ({ error: { code } }) => code === "plan_repo_cap_exceeded" || code === "repo_cap_exceeded",
    choice: "the plan of the workspace has no room for another repository",
    offer: "give the key a workspace with room",
  },
  {
    isMade: ({ error: { code } }) => code === "rate_limit_budget",
    choice: "the hourly spend ceiling of the workspace refuses the run",
    offer: "raise the ceiling of the workspace",
  },
  {
    isMade: ({ status }) => status === 402,
    choice: "the workspace has no credit for the run",
    offer: "give the workspace more credit",
  },
  {
    isMade: ({ error: { code } }) => code === "feature_not_enabled",
    choice: "the workspace does not have the beta feature",
    offer: "enable it in the workspace of keys.beta",
  },
  {
    isMade: ({ operation, status }) => operation === "POST /api/keys" && status >= 400,
    choice: "the workspace does not take another key, or not this one",
    offer: "revoke keys, and state the names of the fields in bindings.key_name_field and bindings.key_scopes_field",
  },
  {
    isMade: ({ operation, status }) => operation === "POST /api/repos" && status >= 400,
    choice: "the server does not register this repository",
    offer: "name a public repository in bindings.spare, and the fields of the body in bindings.register_body",
  },
  {
    isMade: ({ operation, status }) => operation === SUBMISSION && status === 422,
    choice: "the workflow does not take these params",
    offer: "state valid params in bindings.job_params",
  },
  {
    isMade: (answer) => answer.operation === "POST /api/observations/{ref}/fix" && isRefused(answer),
    choice: "the server does not fix this observation",
    offer: "offer drive.find, and findings that the server fixes",
  },
  {
    isMade: (answer) => answer.operation === "POST /api/observations/{ref}/publish-ticket" && isRefused(answer),
    choice: "the server wants another body for a ticket, or has one already",
    offer: "name in bindings.tickets a repository whose observations have no ticket",
  },
  {
    isMade: (answer) => TRIAGE.some((one) => one === answer.operation) && isRefused(answer),
    choice: "the server refuses a change of an observation in this state",
    offer: "offer drive.find, so that each check has an observation of its own",
  },
  {
    isMade: ({ status }) => status === 403,
    choice: "the key does not have the permission",
    offer: "give the key of the role every scope that its description names",
  },
  {
    isMade: ({ operation, status }) => operation === "GET /api/observations" && status === 200,
    choice: "the workspace has no such observation",
    offer: "offer drive.find or drive.seed-observations, or add such an observation",
  },
  {
    isMade: ({ operation, status }) => /^GET .*jobs?(\/\{job_id\})?$/.test(operation) && status === 200,
    choice: "the job is not in the state that the check needs, or there is no such job",
    offer: "offer drive.finish-job and a clock",
  },
];

/** Returns which choice of the server an answer shows, and what its vendor can offer instead; undefined if none is known. */
export function choiceIn(operation: string, status: number, body: unknown): string | undefined {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  if (isNoChoice(status, error)) return undefined;
  const made = choices.find(({ isMade }) => isMade({ operation, status, error }));
  return made && `${made.choice}. To judge this, ${made.offer}`;
}

/** A server that is broken or busy, or that refuses the key, shows no choice. */
function isNoChoice(status: number, { code }: Record<string, unknown>): boolean {
  return status >= 500 || status === 401 || (status === 429 && code !== "rate_limit_budget");
}
