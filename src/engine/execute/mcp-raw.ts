import { readBodyText, type WireRequest } from "../http/exchange.js";
import { unwrapRpcResponse } from "../http/mcp.js";
import { chooseSessionRevision } from "../http/mcp-revisions.js";
import type { Execution } from "./execution.js";
import { openRawMcpSession } from "./mcp-sessions.js";
import { sendPatiently } from "./send.js";
import type { SendResult } from "./send-result.js";

/** Sends a raw message to the tool server unchanged, without the MCP client. If the server requires a session, sends it again in a session. */
export async function sendMcpRaw(execution: Execution, request: WireRequest, wanted: ReadonlySet<number>): Promise<SendResult> {
  const { run, environment } = execution;
  const first = await sendPatiently(run, environment, request, wanted);
  const mayNeedSession = request.headers["mcp-method"] === undefined && chooseSessionRevision(environment.target) !== "never";
  const result = mayNeedSession && first.ok && wantsSession(first) ? await sendInSession(execution, request, wanted) : undefined;
  const sendResult = result ?? first;
  return sendResult.ok ? { ...sendResult, response: unwrapRpcResponse(sendResult.response, sendResult.request) } : sendResult;
}

/** Sends a raw message in a session. Returns undefined if no session can be opened. */
async function sendInSession(
  execution: Execution,
  request: WireRequest,
  wanted: ReadonlySet<number>,
): Promise<SendResult | undefined> {
  const mcpSessionResult = await openRawMcpSession(execution, request, wanted);
  const { sessionId, protocolVersion = "" } = mcpSessionResult.ok ? mcpSessionResult.session.transport : {};
  if (sessionId === undefined) return undefined;
  const headers = { "mcp-session-id": sessionId, "mcp-protocol-version": protocolVersion, ...request.headers };
  return sendPatiently(execution.run, execution.environment, { ...request, headers }, wanted);
}

/** Returns whether a response is a 400 for a missing session. A server may answer 400 for other reasons. */
export function wantsSession({ response }: SendResult & { ok: true }): boolean {
  return response.status === 400 && /session|initiali[sz]/i.test(readBodyText(response));
}
