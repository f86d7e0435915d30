import { contract } from "../../contract/load.js";
import { type Caller, type RefusalOrNull, refuse } from "../call.js";
import type { SpendWindow, World } from "../world/world.js";

const windowMs = contract.limits.windows.spend_seconds * 1000;

/**
 * Refuses paid work when spending is paused, credit is used up, or an hourly ceiling of the workspace or key has no room. Draws
 * nothing. JOB-SUBMIT-CREDIT: no credit is 402. SPEND-CODE: a used-up hour is 429 `rate_limit_budget`.
 */
export function refuseSpend(world: World, caller: Caller, costUsd: number): RefusalOrNull {
  const { workspace, key } = caller;
  if (workspace.spend_paused) return refuse("spend_paused");
  if (workspace.credit_usd < costUsd) return refuse("insufficient_credit");
  if (world.options.limits === "off") return null;
  const waitMs = Math.max(
    computeWait(world, workspace.id, workspace.hourly_ceiling_usd, costUsd),
    key ? computeWait(world, key.id, key.dollars_per_hour, costUsd) : 0,
  );
  return waitMs > 0 ? refuse("rate_limit_budget", { retryAfter: Math.ceil(waitMs / 1000) }) : null;
}

/** Draws the cost of a run from the workspace's credit and from both hourly ceilings. Draws nothing when limits are off. */
export function drawSpend(world: World, caller: Caller, costUsd: number): void {
  if (world.options.limits === "off") return;
  caller.workspace.credit_usd -= costUsd;
  for (const id of caller.key ? [caller.workspace.id, caller.key.id] : [caller.workspace.id]) {
    const window = openWindow(world, id) ?? { since: world.now, spent_usd: 0 };
    window.spent_usd += costUsd;
    world.spend[id] = window;
  }
}

/**
 * Returns the whole seconds until a key with a used-up hourly ceiling may call tools again, or null while it has room.
 * MCP-RATE-SPEND.
 */
export function computeResetSeconds(world: World, caller: Caller): number | null {
  const { key } = caller;
  if (!key?.dollars_per_hour || world.options.limits === "off") return null;
  const window = openWindow(world, key.id);
  if (!window || window.spent_usd < key.dollars_per_hour) return null;
  return Math.ceil((window.since + windowMs - world.now) / 1000);
}

/**
 * Returns the milliseconds until the cost fits under the ceiling; 0 when it fits now. The first run of an hour always fits: with
 * a ceiling below the cost of one run, waiting would never help.
 */
function computeWait(world: World, id: string, ceilingUsd: number | null, costUsd: number): number {
  const window = openWindow(world, id);
  if (ceilingUsd === null || !window) return 0;
  return window.spent_usd + costUsd <= ceilingUsd ? 0 : window.since + windowMs - world.now;
}

function openWindow(world: World, id: string): SpendWindow | null {
  const window = world.spend[id];
  return window && world.now < window.since + windowMs ? window : null;
}
