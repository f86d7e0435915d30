import { authenticateKey } from "../../service/access/access.js";
import { forcedErrorReply } from "../../service/access/error-reply.js";
import { type Reply, refuse } from "../../service/call.js";
import { findRow, repoByTriple } from "../../service/world/lookups.js";
import { paidRoutes } from "./cases.js";
import type { Draws } from "./draws.js";
import type { Refusals } from "./refusals.js";
import type { Subject } from "./variation.js";

/** Refuses before anything is done; null where it may not. `dice` is given when the variation applies. */
export type Early = (subject: Subject, refusals: Refusals, dice: Draws | null) => Reply | null;

/** Calls that are served between two early refusals. */
const sparedCalls = 12;

/**
 * The hourly ceiling of a workspace is not shown, so it may be reached at any time; until it is not, all that starts paid work waits, by
 * whichever key. SPEND-CODE.
 */
export const waitEarly: Early = (subject, { spared, closed }, dice) => {
  const { world, route, surface } = subject;
  if (surface === "mcp" || route === null || !paidRoutes.has(route)) return null;
  const caller = authenticateKey(world, subject);
  if ("refusal" in caller || !isThere(subject, caller.workspace.id)) return null;
  // a ceiling that is known says by itself how long it lasts
  if (caller.workspace.hourly_ceiling_usd !== null) return null;
  const { id } = caller.workspace;
  const begun = closed.get(id) ?? 0;
  const mayBegin = dice !== null && caller.key.dollars_per_hour === null;
  const begins = begun <= world.now && mayBegin && !isSpared(spared, id);
  if (begins) {
    closed.set(id, world.now + (dice.pick([1, 2, 3]) ?? 1) * 1000);
    spared.set(id, sparedCalls);
  }
  const waitMs = (closed.get(id) ?? 0) - world.now;
  if (waitMs <= 0) return null;
  return forcedErrorReply(world, refuse("rate_limit_budget", { retryAfter: Math.ceil(waitMs / 1000) }).refusal);
};

/** Whether there is what the path names: what could not start anyhow draws on nothing. */
function isThere({ world, params }: Subject, workspace: string): boolean {
  const { owner, repo, branch, job_id, ref } = params;
  if (job_id !== undefined) return findRow(world.jobs, job_id) !== undefined;
  if (ref !== undefined) return findRow(world.observations, ref) !== undefined;
  return owner === undefined || repoByTriple(world, workspace, owner, repo ?? "", branch ?? "") !== undefined;
}

/** A dependency is out for a moment. ERR-TYPE-SERVER. */
export const beOut: Early = (subject, { spared }, dice) => {
  const { world, surface, authorization = "" } = subject;
  if (surface === "mcp" || "refusal" in authenticateKey(world, subject)) return null;
  if (isSpared(spared, authorization) || !dice) return null;
  spared.set(authorization, sparedCalls);
  return forcedErrorReply(
    world,
    refuse("service_unavailable", dice.falls(4) ? {} : { retryAfter: dice.pick([1, 2]) ?? 1 }).refusal,
  );
};

/** Spares a caller for the next calls after the service itself answered 429. */
export function spare({ spared }: Refusals, subject: Subject): void {
  const caller = authenticateKey(subject.world, subject);
  if ("refusal" in caller) return;
  for (const who of [caller.workspace.id, subject.authorization ?? ""]) spared.set(who, sparedCalls);
}

/** Counts one call off those that are spared. */
function isSpared(spared: Refusals["spared"], who: string): boolean {
  const left = spared.get(who) ?? 0;
  if (left > 0) spared.set(who, left - 1);
  return left > 0;
}
