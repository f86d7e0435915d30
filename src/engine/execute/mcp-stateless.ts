import type { WireRequest } from "../http/exchange.js";
import { rpcAnswer, rpcMessage, unwrapRpcAnswer } from "../http/mcp.js";
import { inRevision } from "../http/mcp-revisions.js";
import { isRecord } from "../scenario/interpolate.js";
import type { SendContext } from "./mcp-session.js";
import type { Reply } from "./reply.js";
import { sendPatiently } from "./send.js";

/** Sends one request in a revision of MCP without sessions. A success that no client of the revision can read gives no answer to judge. */
export async function requestStateless({ run, environment, wanted }: SendContext, request: WireRequest): Promise<Reply> {
  const sent = inRevision(request, environment.target);
  const reply = await sendPatiently(run, environment, sent, wanted);
  if (!reply.ok) return reply;
  const why = reply.response.status < 400 ? whyUnreadable(reply) : undefined;
  if (why !== undefined) return { ok: false, request: sent, why: `an MCP client cannot read the answer: ${why}` };
  return { ...reply, response: unwrapRpcAnswer(reply.response, sent) };
}

/** Returns why a client cannot read an answer with a status of success; undefined if it can. */
function whyUnreadable({ response, request }: Reply & { ok: true }): string | undefined {
  const answer = rpcAnswer(response, request);
  const { id } = rpcMessage(request) as { id?: unknown };
  if (!answer) return `status ${response.status} and no JSON-RPC answer`;
  if (answer.id !== id) return "the message is no answer to the request";
  if (!("result" in answer)) return undefined;
  const type = isRecord(answer.result) ? answer.result.resultType : undefined;
  return type === "complete"
    ? undefined
    : `its resultType is ${JSON.stringify(type) ?? "absent"}, and the runner needs "complete"`;
}
