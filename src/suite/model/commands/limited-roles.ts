import { triageActions } from "../../statements/observations.js";
import { findOperationStatement, isRoute, type Operation } from "../../statements/operations.js";
import { roles } from "../../statements/roles.js";
import { createText } from "../../statements/setup-steps.js";
import type { Command } from "../command.js";
import { hasTool, type ModelRun, send } from "../model-run.js";
import { findCallerRefusal, LIMITED_ROLES } from "../rules/callers.js";
import type { ModelRequest } from "../rules/request.js";
import { listRegisteredRepos, sortNewestFirst } from "./choices.js";

/** Operations that these roles request. */
export const LIMITED_OPERATIONS: readonly Operation[] = [
  "POST /api/repos/{owner}/{repo}/{branch}/jobs",
  "POST /api/jobs/{job_id}/retry",
  "POST /api/jobs/{job_id}/cancel",
  "GET /api/jobs/{job_id}",
  "GET /api/jobs",
  "POST /api/observations/{ref}/fix",
  triageActions.dismiss.route,
  triageActions.acknowledge.route,
  triageActions.complete.route,
  triageActions.reopen.route,
  "POST /api/observations/{ref}/publish-ticket",
  "GET /api/observations/{ref}",
  "POST /api/repos",
  "POST /api/repos/{owner}/{repo}/{branch}/reset",
  "DELETE /api/repos/{owner}/{repo}/{branch}",
  "GET /api/repos/{owner}/{repo}/{branch}/fix-prs",
  "request_fix",
  "canonical_pattern",
  "update_repository_metadata",
  "set_guidance",
  "set_workspace_context",
  "set_setting",
  "set_learn_mode",
];

/** Bodies of routes. Tools without a route use their sample. */
const bodiesByAction: Readonly<Partial<Record<Operation, Record<string, unknown>>>> = {
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": { workflow: "standard_audit", params: {} },
  [triageActions.dismiss.route]: triageActions.dismiss.body(createText(20)),
  [triageActions.reopen.route]: triageActions.reopen.body(createText(20)),
  "POST /api/repos": { access_mode: "anonymous" },
  "POST /api/repos/{owner}/{repo}/{branch}/reset": { findings: true },
};

/** Sends a request that the server must refuse to its caller. Sends nothing where the refusal is open. */
const useLimitedRole: Command = {
  arguments: ["what", "as", "surface"],
  weight: 8,
  async run(modelRun, choose) {
    const operation = choose("what", LIMITED_OPERATIONS) ?? "GET /api/jobs";
    const as = choose("as", LIMITED_ROLES) ?? "viewer";
    const by = choose("surface", ["rest", "tool"] as const) ?? "rest";
    const request = createRequest(modelRun, { what: operation, as, by });
    if (!request || !modelRun.sut.offers(`key.${as}`)) return undefined;
    const withoutPermission = roles[as]?.refusedDelete !== undefined && operation.startsWith("DELETE ");
    if (!withoutPermission && !findCallerRefusal(modelRun.states, request)) return undefined;
    if (by === "tool" ? !hasTool(modelRun, request) : !isRoute(operation)) return undefined;
    return (await send(modelRun, request)).failure;
  },
};

/** Returns the request for the newest suitable resource; undefined without one. */
function createRequest(
  { states }: ModelRun,
  { what, as, by }: Pick<ModelRequest, "what" | "as" | "by">,
): ModelRequest | undefined {
  const job = sortNewestFirst(states.jobs)[0];
  const ref = sortNewestFirst(states.observations)[0];
  const spare = listRegisteredRepos(states).find((name) => name.startsWith("spare"));
  const body = bodiesByAction[what] ?? (isRoute(what) ? undefined : findOperationStatement(what).sample);
  const request: ModelRequest = { what, as, by, ...(body && { with: body }) };
  if (what === "request_fix") return job !== undefined && ref !== undefined ? { ...request, job, ref } : undefined;
  if (what.includes("{job_id}")) return job === undefined ? undefined : { ...request, job };
  if (what.includes("{ref}")) return ref === undefined ? undefined : { ...request, ref };
  if (what.startsWith("DELETE ") || what.endsWith("/reset")) return spare === undefined ? undefined : { ...request, repo: spare };
  if (what === "POST /api/repos") return { ...request, repo: "spare4" };
  return what.includes("{repo}") || what === "canonical_pattern" || what === "update_repository_metadata"
    ? { ...request, repo: "repo" }
    : request;
}

/** Commands of callers that lack a scope or a permission. */
export const limitedRoleCommands = { useLimitedRole };
