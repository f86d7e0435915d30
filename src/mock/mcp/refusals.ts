import type { ReceivedBody } from "../http/body.js";
import type { IncomingMessage } from "../http/messages.js";
import type { Refusal } from "./era.js";
import { codes } from "./json-rpc.js";

/** The media type of an event stream. */
export const streamType = "text/event-stream";

/** Refuses a message whose sender does not accept these forms of an answer. MCP-HEADER-ACCEPT. */
export function refuseAccept({ headers }: IncomingMessage, needed: readonly string[]): Refusal | null {
  const accepted = (headers.accept ?? "").split(",").map((range) => range.replace(/;.*/s, "").trim().toLowerCase());
  if (needed.every((type) => accepted.includes(type))) return null;
  const message = `Not Acceptable: the client must accept ${needed.join(" and ")}.`;
  return { status: 406, code: codes.transport, message, clause: "MCP-HEADER-ACCEPT" };
}

/** Refuses a body that is not one JSON value. Batches, which only one old revision has, are refused in every revision (assumed). */
export function refuseBody({ body }: ReceivedBody): Refusal | null {
  switch (body.kind) {
    case "none":
      return parseError("the body is empty.");
    case "malformed":
      return parseError(body.problem);
    case "wrong-type":
      return {
        status: 415,
        code: codes.transport,
        message: "Unsupported Media Type: send the message as application/json.",
        clause: "MCP-HEADER-ACCEPT",
        ...(body.isEncoded && { headers: { "accept-encoding": "identity" } }),
      };
    case "too-large":
      return {
        status: 413,
        code: codes.transport,
        message: `Payload Too Large: the body is larger than ${body.limit} bytes.`,
      };
    case "json":
      return Array.isArray(body.value) ? invalidRequest("batches are not supported.") : null;
    default:
      return body satisfies never;
  }
}

/** Returns the refusal of a message that is no valid request. */
export function invalidRequest(problem: string): Refusal {
  return { status: 400, code: codes.invalidRequest, message: `Invalid Request: ${problem}` };
}

function parseError(problem: string): Refusal {
  return { status: 400, code: codes.parseError, message: `Parse error: ${problem}`, clause: "GEN-JSON-REQUEST" };
}
