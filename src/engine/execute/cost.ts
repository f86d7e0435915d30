import type { AnswerRules } from "../http/answers.js";
import { type Exchange, requestJson, type WireRequest } from "../http/exchange.js";
import { isRefusal } from "../http/mcp.js";
import { isRecord } from "../scenario/interpolate.js";
import type { RequestRules } from "../scenario/requests.js";
import { effectOfToolCall } from "../scenario/tool-call.js";
import type { TargetRules } from "../target/rules.js";
import { isToolServer, type Target } from "../target/target.js";

/** What costs are told by: the contract's requests and addresses, and the target's names for its tools. */
interface CostContext {
  suite: { requests: RequestRules; target: TargetRules };
  target: Target;
}

/** Most requests that may start paid work, and how many of them are left. */
export interface PaidBudget {
  /** Whether so many more may be sent. */
  hasRoom(count: number): boolean;
  /** Takes one, if there is one left. */
  take(): boolean;
  /** One that was taken has started nothing. */
  giveBack(): void;
}

/** Why a request stays where it is. */
export const NO_BUDGET = "the budget for paid work is used up";

/** Whether a request, as it goes out, starts paid work if the server takes it, whatever the contract says that the server must do. */
export function mayStartPaid({ suite, target }: CostContext, request: WireRequest): boolean {
  const { method, url } = request;
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") return false;
  if (isToolServer(suite.target, target, url))
    return messagesIn(request).some((message) => isPaidCall(suite.requests, target, message));
  const base = Object.values(target.urls).find((address) => address !== undefined && url.startsWith(`${address}/`));
  const path = base === undefined ? new URL(url).pathname : url.slice(base.length).replace(/[?#].*/s, "");
  return suite.requests.effectOf(method, path) === "paid";
}

/** Whether a server has refused a request, and so started nothing by what it says. No answer is no refusal, and a fault of the server is none. */
export function isRefused(
  { suite, target }: { suite: { answers: AnswerRules; target: TargetRules }; target: Target },
  { request, response }: Exchange,
): boolean {
  if (!response || response.status >= 500) return false;
  return response.status >= 400 || (isToolServer(suite.target, target, request.url) && isRefusal(response, suite.answers));
}

function messagesIn(request: WireRequest): unknown[] {
  return [requestJson(request)].flat();
}

function isPaidCall({ tools }: RequestRules, { bindings }: Target, message: unknown): boolean {
  const params = isRecord(message) && message.method === "tools/call" ? message.params : undefined;
  if (!isRecord(params)) return false;
  const names = isRecord(bindings.tools) ? bindings.tools : {};
  const purposes = Object.keys(tools).filter((purpose) => (names[purpose] ?? purpose) === params.name);
  return purposes.some((tool) => effectOfToolCall({ tool }, tools) === "paid");
}
