import { contract } from "../../contract/load.js";
import { type Caller, type Objection, refuse } from "../call.js";
import type { SpendWindow, World } from "../world/world.js";

const windowMs = contract.limits.windows.spend_seconds * 1000;

/**
 * Asks whether paid work may start: spending not paused, credit left, and room under the hourly ceilings of the workspace and of the key.
 * Nothing is drawn yet. JOB-SUBMIT-CREDIT: no credit is 402; SPEND-CODE: a used-up hour is 429 `rate_limit_budget`.
 */
export function refuseSpend(world: World, caller: Caller, costUsd: number): Objection {
  const { workspace, key } = caller;
  if (workspace.spend_paused) return refuse("spend_paused");
  if (workspace.credit_usd < costUsd) return refuse("insufficient_credit");
  if (world.options.limits === "off") return null;
  const waitMs = Math.max(
    waitFor(world, workspace.id, workspace.hourly_ceiling_usd, costUsd),
    key ? waitFor(world, key.id, key.dollars_per_hour, costUsd) : 0,
  );
  return waitMs > 0 ? refuse("rate_limit_budget", { retryAfter: Math.ceil(waitMs / 1000) }) : null;
}

/** Draws the cost of work that starts now from the workspace's credit and from both hourly ceilings; nothing when limits are off. */
export function drawSpend(world: World, caller: Caller, costUsd: number): void {
  if (world.options.limits === "off") return;
  caller.workspace.credit_usd -= costUsd;
  for (const id of caller.key ? [caller.workspace.id, caller.key.id] : [caller.workspace.id]) {
    const window = openWindow(world, id) ?? { since: world.now, spent_usd: 0 };
    window.spent_usd += costUsd;
    world.spend[id] = window;
  }
}

/** Whole seconds until a key whose hourly ceiling is used up may call tools again; null while it has room. MCP-RATE-SPEND. */
export function spendExhausted(world: World, caller: Caller): number | null {
  const { key } = caller;
  if (!key?.dollars_per_hour || world.options.limits === "off") return null;
  const window = openWindow(world, key.id);
  if (!window || window.spent_usd < key.dollars_per_hour) return null;
  return Math.ceil((window.since + windowMs - world.now) / 1000);
}

/**
 * Milliseconds until the cost fits under the ceiling; 0 when it does. A ceiling lower than one run still lets one run an hour start,
 * or waiting would never help.
 */
function waitFor(world: World, id: string, ceilingUsd: number | null, costUsd: number): number {
  const window = openWindow(world, id);
  if (ceilingUsd === null || !window) return 0;
  return window.spent_usd + costUsd <= ceilingUsd ? 0 : window.since + windowMs - world.now;
}

function openWindow(world: World, id: string): SpendWindow | null {
  const window = world.spend[id];
  return window && world.now < window.since + windowMs ? window : null;
}
