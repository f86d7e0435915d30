import type { Call } from "./call.js";
import type { Choices } from "./choices.js";
import { type Refusal, refuse } from "./operation-result.js";
import type { Key, Spending, Workspace } from "./state.js";

/** The charges of a key or a workspace, and its ceiling. */
interface Account {
  spent: Spending[];
  perHour?: number | undefined;
}

const HOUR_MS = 3_600_000;
const PRICES = new Map(Object.entries({ audit: 6.5, standard_audit: 2.25, discover: 0.75, fix: 1.5, task: 3 }));

/** Returns the cost of one run of a workflow. */
export function getPrice(workflow: string): number {
  return PRICES.get(workflow) ?? 1;
}

/** Draws the price of paid work, or refuses: credit with a billing error, a ceiling with its hour. */
export function drawSpend(call: Call, usd: number): Refusal | undefined {
  const refusal = refuseSpend(call, usd);
  if (!refusal && call.choices.drawnAt === "acceptance") charge(call.workspace, call.key, usd, call.nowMs);
  return refusal;
}

/** Why paid work of this price is refused, if it is. */
export function refuseSpend({ workspace, choices, key, nowMs }: Call, usd: number): Refusal | undefined {
  if (workspace.spendPaused) return refusePaused(choices);
  if (workspace.credit < usd) return refuse(402, "billing_error", choices.code("no credit"), "The credit does not cover this");
  const asked = choices.ceiling === "would pass" ? usd : 0;
  if (key && isOverCeiling(choices, key, asked, nowMs)) return overCeiling(choices, key, asked, nowMs);
  const house = { spent: workspace.spent, perHour: workspace.ceiling ?? choices.workspaceCeiling };
  return isOverCeiling(choices, house, asked, nowMs) ? overCeiling(choices, house, asked, nowMs) : undefined;
}

/** Draws dollars. */
export function charge(workspace: Workspace, key: Key | undefined, usd: number, atMs: number): void {
  workspace.credit -= usd;
  workspace.spent.push({ atMs, usd });
  key?.spent.push({ atMs, usd });
}

/** Whether a key or a workspace has spent its hour's dollars, or would with these. */
export function isOverCeiling({ hour }: Choices, { spent, perHour }: Account, usd: number, nowMs: number): boolean {
  if (perHour === undefined) return false;
  const sum = withinHour(hour, spent, nowMs).reduce((total, spending) => total + spending.usd, 0);
  return usd > 0 ? sum + usd > perHour : sum >= perHour;
}

/** Returns the spending that counts: of the last hour, or of the hour that began with the first charge. */
function withinHour(hour: Choices["hour"], spentSpendings: Spending[], nowMs: number): Spending[] {
  if (hour === "sliding") return spentSpendings.filter(({ atMs }) => atMs > nowMs - HOUR_MS);
  const first = spentSpendings.reduce((begun, { atMs }) => (atMs >= begun + HOUR_MS ? atMs : begun), Number.NEGATIVE_INFINITY);
  return nowMs >= first + HOUR_MS ? [] : spentSpendings.filter(({ atMs }) => atMs >= first);
}

function refusePaused({ pausedHttp, code }: Choices): Refusal {
  const why = "Spending is paused here";
  return pausedHttp === 402
    ? refuse(402, "billing_error", code("spend paused"), why)
    : refuse(429, "rate_limit_error", "rate_limit_budget", why, { headers: { "retry-after": "3600" } });
}

/** Refuses until enough dollars have left the hour. */
function overCeiling(choices: Choices, account: Account, usd: number, nowMs: number): Refusal {
  const { ceilingHttp, hour, code, pace } = choices;
  const why = "The dollars of the hour are spent";
  if (ceilingHttp === 402) return refuse(402, "billing_error", code("budget exceeded"), why);
  const ends = withinHour(hour, account.spent, nowMs).map(({ atMs }) => atMs + HOUR_MS);
  const end = ends.find((atMs) => !isOverCeiling(choices, account, usd, atMs)) ?? ends.at(-1) ?? nowMs;
  const seconds = Math.ceil((end - nowMs) / 1000 / pace) + (hour === "sliding" ? 1 : 0);
  return refuse(429, "rate_limit_error", "rate_limit_budget", why, { headers: { "retry-after": String(seconds) } });
}
