import type { AnswerRules } from "../http/answer-rules.js";
import type { Exchange, WireRequest } from "../http/exchange.js";
import { isRefusal } from "../http/mcp.js";
import type { RequestRules } from "../scenario/requests.js";
import { effectOfToolCall } from "../scenario/tool-call.js";
import type { TargetRules } from "../target/rules.js";
import { isToolServer, type Target } from "../target/target.js";
import { purposesCalled } from "../target/tools.js";

/** The contract's requests and addresses, and the target's names of tools: they show what a request costs. */
interface CostContext {
  suite: { requests: RequestRules; target: TargetRules };
  target: Target;
}

/** Most requests that may start paid work, and how many of them are left. */
export interface PaidBudget {
  /** Returns whether the budget has room for this number of requests. */
  hasRoom(count: number): boolean;
  /** Takes one, if there is one left. */
  take(): boolean;
  /** One that was taken has started nothing. */
  giveBack(): void;
}

/** Why a request stays where it is. */
export const NO_BUDGET = "the budget for paid work is used up";

/** Returns whether a request starts paid work if the server accepts it, also where the contract demands a refusal. */
export function mayStartPaid({ suite, target }: CostContext, request: WireRequest): boolean {
  const { method, url } = request;
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") return false;
  if (isToolServer(suite.target, target, url))
    return purposesCalled(request, target).some((purpose) => isPaid(purpose, suite.requests));
  const base = Object.values(target.urls).find((address) => address !== undefined && url.startsWith(`${address}/`));
  const path = base === undefined ? new URL(url).pathname : url.slice(base.length).replace(/[?#].*/s, "");
  return suite.requests.effectOf(method, path) === "paid";
}

/** Returns whether the server refused a request, so that it started nothing. A missing answer and a server error are no refusal. */
export function isRefused(
  { suite, target }: { suite: { answers: AnswerRules; target: TargetRules }; target: Target },
  { request, response }: Exchange,
): boolean {
  if (!response || response.status >= 500) return false;
  return response.status >= 400 || (isToolServer(suite.target, target, request.url) && isRefusal(response, suite.answers));
}

function isPaid(purpose: string, { tools }: RequestRules): boolean {
  return Object.hasOwn(tools, purpose) && effectOfToolCall({ tool: purpose }, tools) === "paid";
}
