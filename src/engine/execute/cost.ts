import type { Exchange, WireRequest } from "../http/exchange.js";
import { isRefusal } from "../http/mcp.js";
import type { ResponseRules } from "../http/response-rules.js";
import type { RequestRules } from "../scenario/requests.js";
import { findToolCallEffect } from "../scenario/tool-call.js";
import type { TargetRules } from "../target/rules.js";
import { isToolServer, type Target } from "../target/target.js";
import { listCalledPurposes } from "../target/tools.js";

/** The parts of a run that tell whether a request may start paid work. */
interface CostContext {
  suite: { requests: RequestRules; target: TargetRules };
  target: Target;
}

/** Counts the requests that may still start paid work. */
export interface PaidBudget {
  /** Returns whether the budget has room for this number of requests. */
  hasRoom(count: number): boolean;
  /** Takes one request from the budget. Returns false if the budget is used up. */
  take(): boolean;
  /** Puts one request back, because it started no paid work. */
  refund(): void;
}

/** Methods that change nothing (RFC 9110 9.2.1). */
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The reason why a paid request is not sent. */
export const NO_BUDGET = "the budget for paid work is used up";

/** Returns whether a request would start paid work if the server accepted it, even if the contract demands a refusal. */
export function mayStartPaid({ suite, target }: CostContext, request: WireRequest): boolean {
  const { method, url } = request;
  if (SAFE_METHODS.has(method)) return false;
  if (isToolServer(suite.target, target, url))
    return listCalledPurposes(request, target).some((purpose) => isPaid(purpose, suite.requests));
  const base = Object.values(target.urls).find((address) => address !== undefined && url.startsWith(`${address}/`));
  const path = base === undefined ? new URL(url).pathname : url.slice(base.length).replace(/[?#].*/s, "");
  return suite.requests.effectOf(method, path) === "paid";
}

/**
 * Returns whether a server may get a request twice: the request only reads, or has the header that makes a write repeatable. A message to the tool server only reads
 * if it calls no other tools than those that read.
 */
export function isRepeatable({ suite, target }: CostContext, request: WireRequest): boolean {
  const { method, url, headers } = request;
  const { tools, repeatableHeader } = suite.requests;
  if (SAFE_METHODS.has(method) || headers[repeatableHeader] !== undefined) return true;
  if (method !== "POST" || !isToolServer(suite.target, target, url)) return false;
  return listCalledPurposes(request, target).every(
    (tool) => Object.hasOwn(tools, tool) && findToolCallEffect({ tool }, tools) === "read",
  );
}

/**
 * Returns whether the server refused a request, so that it started nothing. A missing response and a server error do not count as
 * a refusal.
 */
export function isRefused(
  { suite, target }: { suite: { answers: ResponseRules; target: TargetRules }; target: Target },
  { request, response }: Exchange,
): boolean {
  if (!response || response.status >= 500) return false;
  return response.status >= 400 || (isToolServer(suite.target, target, request.url) && isRefusal(response, suite.answers));
}

function isPaid(purpose: string, { tools }: RequestRules): boolean {
  return Object.hasOwn(tools, purpose) && findToolCallEffect({ tool: purpose }, tools) === "paid";
}
