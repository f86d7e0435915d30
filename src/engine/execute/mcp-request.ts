import type { WireRequest } from "../http/exchange.js";
import { createRpcMessage, isRateRefusal, readRpc, withMessage } from "../http/mcp.js";
import { isStateless } from "../http/mcp-revisions.js";
import { isRecord } from "../scenario/interpolate.js";
import { pause } from "./clock.js";
import { wantsSession } from "./mcp-raw.js";
import { sendInSession } from "./mcp-session.js";
import { connectMcpSession, forgetMcpSession, type McpContext } from "./mcp-sessions.js";
import { sendStateless } from "./mcp-stateless.js";
import { MAX_LIST_BYTES } from "./send.js";
import type { SendResult } from "./send-result.js";

const MAX_TRIES = 4;
const MAX_PAGES = 50;

/**
 * Sends a request to the tool server with the official client, and retries it after a rate refusal. Reads a list to its last page. The
 * response body is the JSON-RPC message alone.
 */
export async function sendMcp(execution: McpContext, request: WireRequest, wanted: ReadonlySet<number>): Promise<SendResult> {
  const { method, params } = createRpcMessage(request);
  const [subject, verb] = method.split("/");
  if (verb !== "list") return sendMcpOnce(execution, request, wanted);
  const items: unknown[] = [];
  let page = request;
  let bytes = 0;
  for (let number = 1; number <= MAX_PAGES; number++) {
    const result = await sendMcpOnce(execution, page, wanted);
    const rpc = result.ok ? readRpc(result.response) : undefined;
    const found = rpc?.ok && isRecord(rpc.result) ? rpc.result[subject as string] : undefined;
    if (!result.ok || !rpc?.ok || !isRecord(rpc.result) || !Array.isArray(found)) return result;
    bytes += result.response.body.length;
    if (bytes > MAX_LIST_BYTES) return { ok: false, request, why: `all pages together are larger than ${MAX_LIST_BYTES} bytes` };
    for (const item of found) items.push(item);
    const { nextCursor, ...rest } = rpc.result;
    if (nextCursor === undefined || nextCursor === null) {
      const whole = withMessage(request, { id: 1, result: { ...rest, [subject as string]: items } }).body;
      return { ...result, exchanges: number, response: { ...result.response, body: whole ?? result.response.body } };
    }
    page = withMessage(request, { id: 1, method, params: { ...params, cursor: nextCursor } });
  }
  return { ok: false, request, why: `the list did not end within ${MAX_PAGES} pages` };
}

/**
 * Sends one request, as the revision demands: stateless, or in the session of its credentials. If the server no longer has the session, opens
 * a new session once. Waits after a rate refusal that the step does not expect, and tries again.
 */
async function sendMcpOnce(execution: McpContext, request: WireRequest, wanted: ReadonlySet<number>): Promise<SendResult> {
  const { run, environment } = execution;
  let last = request;
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const { reply: result, isForgotten, isOpen = true } = await send(execution, request, wanted);
    if (!isOpen) return result;
    last = result.request;
    if (isForgotten && attempt === 1) {
      forgetMcpSession(execution, request);
      continue;
    }
    if (!result.ok || wanted.has(429) || !isRateRefusal(result.response, run.suite.answers)) return result;
    const waitResult = await pause(run, environment, environment.target.timing.rateMinuteSeconds, "the rate of tool calls");
    if (!waitResult.ok)
      return { ok: false, request: last, why: `the tool server refused the call for its rate limit, and ${waitResult.why}` };
    run.onDelay?.();
  }
  return { ok: false, request: last, why: "the tool server refused the call for its rate limit, even after several waits" };
}

/**
 * Sends one request. `isOpen`: false if its session could not be opened. `isForgotten`: the server no longer has the session. MCP demands a 404,
 * but some servers answer 400 as for a missing session.
 */
async function send(
  execution: McpContext,
  request: WireRequest,
  wanted: ReadonlySet<number>,
): Promise<{ reply: SendResult; isOpen?: boolean; isForgotten?: boolean }> {
  const { run, environment } = execution;
  const context = { run, environment, wanted };
  if (isStateless(environment.target.mcpRevision)) return { reply: await sendStateless(context, request) };
  const mcpSessionResult = await connectMcpSession(execution, request, wanted);
  if (!mcpSessionResult.ok) return { reply: mcpSessionResult.reply, isOpen: false };
  const result = await sendInSession(mcpSessionResult.session, context, request);
  const hasSession = mcpSessionResult.session.transport.sessionId !== undefined;
  return { reply: result, isForgotten: hasSession && result.ok && (result.response.status === 404 || wantsSession(result)) };
}
