import type { IncomingMessage } from "node:http";
import type { Answer } from "../answer.js";
import type { BodyRead } from "../body.js";
import { codes, refuseMessage } from "./protocol.js";

/** Refuses a message whose sender does not take both forms an answer can have. MCP-HEADER-ACCEPT. */
export function refuseAccept({ headers }: IncomingMessage, needed: readonly string[]): Answer | null {
  const accepted = (headers.accept ?? "").split(",").map((range) => range.split(";", 1)[0]!.trim().toLowerCase());
  if (needed.every((type) => accepted.includes(type))) return null;
  return refuseMessage(406, codes.transport, `Not Acceptable: the client must accept ${needed.join(" and ")}.`);
}

/** Refuses a protocol revision that the server does not speak; without the header it is an older one, which it does. */
export function refuseVersion({ headers }: IncomingMessage, versions: readonly string[]): Answer | null {
  const version = headers["mcp-protocol-version"];
  if (version === undefined || versions.includes(String(version))) return null;
  return refuseMessage(400, codes.transport, `Unsupported protocol version; this server speaks ${versions.join(", ")}.`);
}

/** Refuses a body that is not one JSON value. Batches, which only one old revision had, are not taken from anybody (assumed). */
export function refuseBody({ body }: BodyRead): Answer | null {
  switch (body.kind) {
    case "none":
      return refuseMessage(400, codes.parseError, "Parse error: the body is empty.");
    case "malformed":
      return refuseMessage(400, codes.parseError, `Parse error: ${body.problem}`);
    case "wrong-type":
      return refuseMessage(415, codes.transport, "Unsupported Media Type: send the message as application/json.");
    case "too-large":
      return refuseMessage(413, codes.transport, `Payload Too Large: the body is larger than ${body.limit} bytes.`);
    case "json":
      return Array.isArray(body.value)
        ? refuseMessage(400, codes.invalidRequest, "Invalid Request: batches are not taken.")
        : null;
    default:
      return body satisfies never;
  }
}
