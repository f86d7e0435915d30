import { contract } from "../../contract/load.js";
import type { Gate, Refusal, ServiceResponse } from "../call.js";
import { createRequestId } from "../world/ids-and-timestamps.js";
import type { World } from "../world/world.js";

/** The longest error message, in characters. Messages can repeat long input. */
const longestMessage = 500;

/**
 * Returns a refusal in the error envelope, with the catalogue's type and status. ERR-ENVELOPE-ONE. Includes the changes that the
 * call made before the refusal.
 */
export function buildErrorResponse(world: World, refusal: Refusal, gate: Gate): ServiceResponse {
  const row = contract.errors[refusal.code];
  const requestId = createRequestId(world);
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

/** Returns a refusal that no check has decided: a fault, a `Prefer` header or a failure of the mock. It counts no check as passed. */
export function buildForcedErrorResponse(
  world: World,
  refusal: Refusal,
  status = contract.errors[refusal.code].status,
): ServiceResponse {
  return { ...buildErrorResponse(world, refusal, "authenticate"), status };
}

function shorten(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 1)}…`;
}
