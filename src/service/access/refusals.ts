import { contract } from "../../contract/load.js";
import type { Gate, Refusal, Reply } from "../call.js";
import { nextRequestId } from "../world/stamps.js";
import type { World } from "../world/world.js";

/** A message may repeat what was sent, which can be long. In characters. */
const longestMessage = 500;

/**
 * Writes a refusal as the service's one error envelope, with the type and status of the catalogue. ERR-ENVELOPE-ONE.
 * What was changed before the refusal stays noted in the reply.
 */
export function envelope(world: World, refusal: Refusal, gate: Gate): Reply {
  const row = contract.errors[refusal.code];
  const requestId = nextRequestId(world);
  const headers: Record<string, string> = { "x-request-id": requestId, ...refusal.headers };
  if (refusal.retryAfter !== undefined) headers["retry-after"] = String(refusal.retryAfter);
  const error = {
    type: row.type,
    code: refusal.code,
    message: shorten(refusal.message ?? row.message),
    request_id: requestId,
    ...refusal.fields,
  };
  return {
    status: row.status,
    headers,
    body: { error },
    rule: { gate, code: refusal.code, clause: row.clause },
    changes: world.changes,
  };
}

/** Returns a refusal that no gate of the service made: by a fault, a preference of the client or a failure of the mock. It counts no gate as passed. */
export function refuseOutside(world: World, refusal: Refusal, status = contract.errors[refusal.code].status): Reply {
  return { ...envelope(world, refusal, "authenticate"), status };
}

function shorten(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 1)}…`;
}
