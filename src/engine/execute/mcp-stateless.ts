import type { WireRequest } from "../http/exchange.js";
import { createRpcMessage, isHtml, rpcResponse, unwrapRpcResponse } from "../http/mcp.js";
import { adaptToRevision } from "../http/mcp-revisions.js";
import { isRecord } from "../scenario/interpolate.js";
import type { SendContext } from "./mcp-session.js";
import { sendPatiently } from "./send.js";
import type { SendResult } from "./send-result.js";

/**
 * Sends one request in a revision of MCP without sessions. A success that no client of the revision can read is not
 * judged, except an HTML page, which no revision allows.
 */
export async function sendStateless({ run, environment, wanted }: SendContext, request: WireRequest): Promise<SendResult> {
  const sentWireRequest = adaptToRevision(request, environment.target);
  const result = await sendPatiently(run, environment, sentWireRequest, wanted);
  if (!result.ok) return result;
  const why = result.response.status < 400 && !isHtml(result.response) ? explainUnreadable(result) : undefined;
  if (why !== undefined) return { ok: false, request: sentWireRequest, why: `an MCP client cannot read the answer: ${why}` };
  return { ...result, response: unwrapRpcResponse(result.response, sentWireRequest) };
}

/** Returns why a client cannot read a response with a status of success; undefined if it can. */
function explainUnreadable({ response, request }: SendResult & { ok: true }): string | undefined {
  const serverResponse = rpcResponse(response, request);
  const { id } = createRpcMessage(request) as { id?: unknown };
  if (!serverResponse) return `status ${response.status} and no JSON-RPC answer`;
  if (serverResponse.id !== id) return "the message is not an answer to the request";
  if (!("result" in serverResponse)) return undefined;
  const type = isRecord(serverResponse.result) ? serverResponse.result.resultType : undefined;
  return type === "complete"
    ? undefined
    : `its resultType is ${JSON.stringify(type) ?? "absent"}, and the runner needs "complete"`;
}
