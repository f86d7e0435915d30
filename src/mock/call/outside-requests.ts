import { escapeLine } from "../../common/escape/visible.js";
import { buildForcedErrorResponse } from "../../service/access/error-response.js";
import { type Refusal, refuse, type ServiceResponse } from "../../service/call.js";
import type { World } from "../../service/world/world.js";
import type { HostName } from "../http/host-names.js";
import { hasInvalidRequest, type ReadyRefusal, type RequestHandlers } from "../http/listen.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { readPath, sendResponse } from "../http/response.js";
import { type OutsideRequest, recordOutside } from "../journal/outside.js";
import { readSessionCookie } from "../worlds/credential.js";
import { append } from "../worlds/log/append.js";
import { selectWorld, type WorldEntry, type Worlds } from "../worlds/worlds.js";

/** Refuses a request that is for no operation of the service: an unknown page or an unknown entry path. */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  worldEntry: WorldEntry,
  { refusal }: { refusal: Refusal },
): void {
  append(worldEntry, { refused: "outside" });
  const serviceResponse = buildForcedErrorResponse(worldEntry.world, refusal);
  const text = sendResponse(request, response, serviceResponse, worldEntry.world.now);
  recordOutside(worldEntry, request, { ...serviceResponse, text });
}

/** Returns the 500 for a failure of the mock. Writes one line to the log; the client learns nothing of the cause. */
export function buildFailureResponse(world: World, request: IncomingMessage, error: unknown): ServiceResponse {
  const response = buildForcedErrorResponse(world, refuse("internal_error").refusal);
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  console.error(
    escapeLine(`counterpart: ${request.method} ${readPath(request)} failed, ${response.headers["x-request-id"]}: ${what}`),
  );
  return response;
}

const cutOffReasons = {
  client: "The client closed the connection before the end of the body.",
  memory: "The mock closed the connection: the unfinished bodies of all requests are too long to keep.",
  pipeline: "The connection ended while this request waited for the answers to the requests before it.",
};

/** Records a request whose body or connection ended before the mock served it. No operation was performed. */
export function recordCutOff(
  worlds: Worlds,
  request: IncomingMessage,
  session: string | undefined,
  by: keyof typeof cutOffReasons,
): void {
  if (hasInvalidRequest(request.socket)) return; // recorded as invalid HTTP
  const rule = { gate: "body", code: null, clause: null } as const;
  const reason = cutOffReasons[by];
  recordOutside(selectWorld(worlds, request.headers.authorization, session), request, {
    status: null,
    headers: {},
    rule,
    reason,
  });
}

/** Returns the functions that record what a host of the mock does not serve. The control plane and the documentation have no journal. */
export function createOutsideHandlers(worlds: Worlds, host: HostName): Pick<RequestHandlers, "refuse" | "drop"> {
  return {
    refuse: (request, why) => refuseUnreadable(worlds.default, request, why),
    drop(request) {
      if (host === "docs" || readPath(request).startsWith("/__mock")) return;
      recordCutOff(worlds, request, host === "app" ? readSessionCookie(request.headers.cookie) : undefined, "pipeline");
    },
  };
}

/** Refuses a request that is not valid HTTP. Records it when its first line could be read. */
function refuseUnreadable(
  worldEntry: WorldEntry,
  request: OutsideRequest | null,
  { status, message }: { status: number; message: string },
): ReadyRefusal {
  append(worldEntry, { refused: "outside" });
  const response = buildForcedErrorResponse(worldEntry.world, refuse("bad_request", { message }).refusal, status);
  if (request) recordOutside(worldEntry, request, { ...response, text: JSON.stringify(response.body) });
  return { ...response, now: worldEntry.world.now };
}
