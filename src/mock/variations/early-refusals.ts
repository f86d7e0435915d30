import { authenticateKey } from "../../service/access/access.js";
import { buildForcedErrorResponse } from "../../service/access/error-response.js";
import { refuse, type ServiceResponse } from "../../service/call.js";
import { findRepoByTriple, findRow } from "../../service/world/lookups.js";
import { paidRoutes } from "./cases.js";
import type { Draws } from "./draws.js";
import type { Refusals } from "./refusals.js";
import type { Subject } from "./variation.js";

/** Refuses a call before its operation; null if it may not. `dice` is given if the variation applies. */
export type EarlyRefusal = (subject: Subject, refusals: Refusals, dice: Draws | null) => ServiceResponse | null;

/** Number of calls that are served between two early refusals. */
const callsBetweenRefusals = 12;

/**
 * The contract does not show the hourly ceiling of a workspace, so it may be reached at any time. Until it resets, all keys of the
 * workspace get this refusal for paid work. SPEND-CODE.
 */
export const refuseEarly: EarlyRefusal = (subject, { spared, closed }, dice) => {
  const { world, route, surface } = subject;
  if (surface === "mcp" || route === null || !paidRoutes.has(route)) return null;
  const caller = authenticateKey(world, subject);
  if ("refusal" in caller || !isThere(subject, caller.workspace.id)) return null;
  // a known ceiling determines its own Retry-After
  if (caller.workspace.hourly_ceiling_usd !== null) return null;
  const { id } = caller.workspace;
  const begun = closed.get(id) ?? 0;
  const mayBegin = dice !== null && caller.key.dollars_per_hour === null;
  const begins = begun <= world.now && mayBegin && !isServed(spared, id);
  if (begins) {
    closed.set(id, world.now + (dice.pick([1, 2, 3]) ?? 1) * 1000);
    spared.set(id, callsBetweenRefusals);
  }
  const waitMs = (closed.get(id) ?? 0) - world.now;
  if (waitMs <= 0) return null;
  return buildForcedErrorResponse(world, refuse("rate_limit_budget", { retryAfter: Math.ceil(waitMs / 1000) }).refusal);
};

/** Returns whether the resource of the path exists. Work on a missing resource costs nothing. */
function isThere({ world, params }: Subject, workspace: string): boolean {
  const { owner, repo, branch, job_id, ref } = params;
  if (job_id !== undefined) return findRow(world.jobs, job_id) !== undefined;
  if (ref !== undefined) return findRow(world.observations, ref) !== undefined;
  return owner === undefined || findRepoByTriple(world, workspace, owner, repo ?? "", branch ?? "") !== undefined;
}

/** A dependency is temporarily unavailable. ERR-TYPE-SERVER. */
export const simulateOutage: EarlyRefusal = (subject, { spared }, dice) => {
  const { world, surface, authorization = "" } = subject;
  if (surface === "mcp" || "refusal" in authenticateKey(world, subject)) return null;
  if (isServed(spared, authorization) || !dice) return null;
  spared.set(authorization, callsBetweenRefusals);
  return buildForcedErrorResponse(
    world,
    refuse("service_unavailable", dice.happens(4) ? {} : { retryAfter: dice.pick([1, 2]) ?? 1 }).refusal,
  );
};

/** Serves the next calls of a caller after a 429 of the service itself. */
export function skipRefusal({ spared }: Refusals, subject: Subject): void {
  const caller = authenticateKey(subject.world, subject);
  if ("refusal" in caller) return;
  for (const id of [caller.workspace.id, subject.authorization ?? ""]) spared.set(id, callsBetweenRefusals);
}

/** Counts one of the calls that are served. */
function isServed(spared: Refusals["spared"], id: string): boolean {
  const left = spared.get(id) ?? 0;
  if (left > 0) spared.set(id, left - 1);
  return left > 0;
}
