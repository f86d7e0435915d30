import { resolveRoute } from "../../contract/routes.js";
import type { ErrorCode, RouteName } from "../../contract/types.js";
import type { Refusal } from "../../service/call.js";
import { findKeyByToken, readRow } from "../../service/world/lookups.js";
import type { World } from "../../service/world/world.js";

/** The parts of a call that its refusal can mention. */
export interface RefusedCall {
  /** Authorization header of the call. */
  authorization: string | undefined;
  /** Route or tool of the call; null for an unknown path. */
  route: string | null;
  surface: "rest" | "mcp";
}

/** The default of `Retry-After` in seconds. It is short, so that tests of retries are fast. */
const shortestWait = 1;

/**
 * Returns a refusal with a code of the catalogue, and with all fields and headers of the service. `retryAfter` in seconds replaces the
 * default; null removes the header.
 */
export function buildCatalogueRefusal(world: World, code: ErrorCode, subject: RefusedCall, retryAfter?: number | null): Refusal {
  const usual = buildUsualRefusal(world, code, subject);
  const wait = retryAfter === undefined ? usual.retryAfter : (retryAfter ?? undefined);
  const { retryAfter: _, ...rest } = usual;
  if (wait === undefined) return rest;
  // a tool error has no headers, so the error also contains the seconds
  const fields = subject.surface === "mcp" ? { fields: { ...rest.fields, retry_after: wait } } : {};
  return { ...rest, ...fields, retryAfter: wait };
}

function buildUsualRefusal(world: World, code: ErrorCode, subject: RefusedCall): Refusal {
  switch (code) {
    case "rate_limit_qps":
    case "rate_limit_budget":
    case "service_unavailable":
      return { code, retryAfter: shortestWait };
    case "workflow_not_entitled":
      return { code, fields: { details: { allowed_workflows: world.plans[findPlan(world, subject)].workflows } } };
    case "plan_restricted":
      return { code, fields: { required_features: ["openapi"] } };
    case "invalid_payload":
      return { code, fields: { errors: [{ loc: ["body"], msg: "must be what the operation takes", type: "forced" }] } };
    case "repo_already_registered":
      return { code, fields: { details: { repo_name: findRepo(world, subject) } } };
    case "method_not_allowed":
      return { code, headers: { allow: listAllowedMethods(subject.route).join(", ") } };
    default:
      return { code };
  }
}

function findPlan(world: World, subject: RefusedCall) {
  return readRow(world.workspaces, findWorkspace(world, subject)).plan;
}

function findWorkspace(world: World, { authorization = "" }: RefusedCall): string {
  const key = findKeyByToken(world, authorization.slice(authorization.lastIndexOf(" ") + 1));
  return key?.workspace ?? Object.keys(world.workspaces)[0] ?? "";
}

/** Returns the slug of a repository of the caller, if any. */
function findRepo(world: World, subject: RefusedCall): string {
  const workspace = findWorkspace(world, subject);
  const ownRepo = Object.values(world.repos).find((repo) => repo.workspace === workspace && repo.deleted_at === null);
  return ownRepo?.slug ?? "web@main";
}

/** Returns the other methods of the route's path. */
function listAllowedMethods(route: string | null): string[] {
  const [method, path] = ((route ?? " ") as RouteName).split(" ", 2) as [string, string];
  const resolution = resolveRoute("OPTIONS", path);
  return resolution.found === "path" ? resolution.allow.filter((one) => one !== method) : [];
}
