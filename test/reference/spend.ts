import type { Call } from "./call.js";
import { type Refusal, refuse } from "./reply.js";
import type { Key } from "./state.js";

const HOUR_MS = 3_600_000;
const PRICES = new Map(Object.entries({ audit: 6.5, standard_audit: 2.25, discover: 0.75, fix: 1.5, task: 3 }));

/** What one run of a workflow costs. */
export function priceOf(workflow: string): number {
  return PRICES.get(workflow) ?? 1;
}

/** Draws the price of paid work, or refuses: credit is a matter of billing, a key's ceiling one of its hour. */
export function drawSpend({ workspace, choices, key, nowMs }: Call, usd: number): Refusal | undefined {
  if (workspace.spendPaused) return refuse(402, "billing_error", choices.code("spend paused"), "Spending is paused here");
  if (workspace.credit < usd) return refuse(402, "billing_error", choices.code("no credit"), "The credit does not cover this");
  if (key && isOverCeiling(key, choices.ceiling === "would pass" ? usd : 0, nowMs))
    return overCeiling(choices.ceilingHttp, key, nowMs);
  workspace.credit -= usd;
  key?.spent.push({ atMs: nowMs, usd });
  return undefined;
}

/** Whether a key has spent its hour's dollars, or would with these. */
export function isOverCeiling({ spent, perHour }: Key, usd: number, nowMs: number): boolean {
  if (perHour === undefined) return false;
  const sum = spent.filter(({ atMs }) => atMs > nowMs - HOUR_MS).reduce((total, one) => total + one.usd, 0);
  return usd > 0 ? sum + usd > perHour : sum >= perHour;
}

function overCeiling(http: 402 | 429, { spent }: Key, nowMs: number): Refusal {
  if (http === 402) return refuse(402, "billing_error", "budget_exceeded", "This key has spent its dollars of the hour");
  const oldest = spent.find(({ atMs }) => atMs > nowMs - HOUR_MS)?.atMs ?? nowMs;
  const seconds = Math.ceil((oldest + HOUR_MS - nowMs) / 1000);
  return refuse(429, "rate_limit_error", "rate_limit_budget", "This key has spent its dollars of the hour", {
    headers: { "retry-after": String(seconds) },
  });
}
