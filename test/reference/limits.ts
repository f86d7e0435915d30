import type { Call } from "./call.js";
import type { Choices } from "./choices.js";
import { type Refusal, refuse } from "./operation-result.js";
import type { Workspace } from "./state.js";

const MINUTE_MS = 60_000;

/** One rate limit: its name, and its requests in a minute. */
export interface RateLimit {
  name: string;
  perMinute: number;
}

/** Counts a request in every limit, or refuses it. The variant chooses the kind of window. */
export function countRequest({ workspace, choices }: Call, bounds: readonly RateLimit[], nowMs: number): Refusal | undefined {
  const wait = Math.max(0, ...bounds.map((boundRateLimit) => waitFor(workspace, choices, boundRateLimit, nowMs)));
  const isRefused = wait > 0;
  if (isRefused && !choices.refusedCount) return rateRefusal(choices, Math.ceil(wait / 1000));
  for (const { name } of bounds) {
    workspace.meters.get(name)?.push(nowMs);
    const tokens = workspace.tokens.get(name);
    if (tokens) tokens.left = Math.max(tokens.left - 1, 0);
  }
  return isRefused ? rateRefusal(choices, 60) : undefined;
}

/** Returns a counted request to the limit, because the server did not serve it and counts only served requests. */
export function refund({ workspace }: Call, bounds: readonly RateLimit[]): void {
  for (const { name } of bounds) {
    workspace.meters.get(name)?.pop();
    const tokens = workspace.tokens.get(name);
    if (tokens) tokens.left += 1;
  }
}

function rateRefusal(choices: Choices, seconds: number): Refusal {
  const within = seconds + choices.extraRetrySeconds * choices.pace;
  return refuse(429, "rate_limit_error", "rate_limit_qps", "Too many requests, wait a little", {
    headers: { "retry-after": String(Math.ceil(within / choices.pace)) },
  });
}

/** Milliseconds until the bound has room; zero if it has. */
function waitFor(workspace: Workspace, choices: Choices, boundRateLimit: RateLimit, nowMs: number): number {
  switch (choices.meter) {
    case "first use":
      return waitFromFirst(workspace, boundRateLimit, nowMs);
    case "aligned":
      return waitForWindow(workspace, boundRateLimit, nowMs, nowMs - (nowMs % MINUTE_MS), () => MINUTE_MS - (nowMs % MINUTE_MS));
    case "sliding":
      return waitForWindow(workspace, boundRateLimit, nowMs, nowMs - MINUTE_MS, (oldest) => oldest + MINUTE_MS - nowMs + 1);
    case "tokens":
      return waitForToken(workspace, boundRateLimit, nowMs);
    default:
      return choices.meter satisfies never;
  }
}

/** A window that begins with the first request after the last one has ended. */
function waitFromFirst(workspace: Workspace, boundRateLimit: RateLimit, nowMs: number): number {
  const [first = nowMs] = workspace.meters.get(boundRateLimit.name) ?? [];
  if (nowMs >= first + MINUTE_MS) workspace.meters.set(boundRateLimit.name, []);
  return waitForWindow(workspace, boundRateLimit, nowMs, first, () => first + MINUTE_MS - nowMs);
}

function waitForWindow(
  { meters }: Workspace,
  { name, perMinute }: RateLimit,
  nowMs: number,
  sinceMs: number,
  wait: (oldestMs: number) => number,
): number {
  const taken = (meters.get(name) ?? []).filter((atMs) => atMs >= sinceMs && atMs <= nowMs);
  meters.set(name, taken);
  return taken.length < perMinute ? 0 : wait(taken[taken.length - perMinute] ?? nowMs);
}

/** A bucket that holds half as much again as it gains in a minute, so bursts pass. */
function waitForToken({ tokens }: Workspace, { name, perMinute }: RateLimit, nowMs: number): number {
  const max = Math.floor(perMinute * 1.5);
  const before = tokens.get(name) ?? { left: max, atMs: nowMs };
  const left = Math.min(max, before.left + ((nowMs - before.atMs) * perMinute) / MINUTE_MS);
  tokens.set(name, { left, atMs: nowMs });
  return left >= 1 ? 0 : ((1 - left) * MINUTE_MS) / perMinute;
}
