import { contract } from "../../contract/load.js";
import { buildForcedErrorResponse } from "../../service/access/error-response.js";
import type { ServiceResponse } from "../../service/call.js";
import type { World } from "../../service/world/world.js";
import type { ServerResponse, Socket } from "../http/messages.js";
import { readDuration } from "../input/durations.js";
import { buildCatalogueRefusal, type RefusedCall } from "./catalogue-refusal.js";
import { type Fault, findCode, type SocketFault } from "./faults.js";
import { override } from "./response-override.js";

/** The call to which a fault applies, over REST or of a tool. */
interface Subject extends RefusedCall {
  world: World;
  response: ServerResponse;
}

/** The steps of a call that a fault controls. */
interface Steps {
  /** Continues after a delay in milliseconds. */
  delay(ms: number, go: () => void): void;
  perform(): ServiceResponse;
  finish(response: ServiceResponse): void;
}

/**
 * Applies a fault to a call. Waits, then performs the operation if the fault does not prevent it. Then answers with the fault, breaks the
 * connection, or answers normally.
 */
export function applyFault(fault: Fault, subject: Subject, steps: Steps): void {
  const delayMs = findDelay(fault);
  if (delayMs > 0) steps.delay(delayMs, () => applyNow(fault, subject, steps));
  else applyNow(fault, subject, steps);
}

function applyNow(fault: Fault, subject: Subject, { perform, finish }: Steps): void {
  const { response } = subject;
  const refusing = fault.code !== undefined || fault.status !== undefined || fault.socket !== undefined;
  const done = (fault.performs ?? !refusing) ? perform() : null;
  const serviceResponse = refusing || !done ? buildRefusal(fault, subject) : done;
  const overridden = fault.answer ? override(serviceResponse, completeResponse(fault)) : serviceResponse;
  finish(done ? { ...overridden, changes: done.changes } : overridden);
  if (fault.socket && response.socket) breakOff(response.socket, fault.socket);
}

/** Returns the response of the fault instead of the service's answer. */
function buildRefusal({ code, status, retry_after }: Fault, subject: Subject): ServiceResponse {
  const slug = code ?? findCode(status ?? 500);
  const catalogueEntry = buildCatalogueRefusal(subject.world, slug, subject, retry_after);
  return buildForcedErrorResponse(subject.world, catalogueEntry, status ?? contract.errors[slug].status);
}

/** Returns the override of the fault. If the operation is not performed, the status is 200 unless the fault names one. */
function completeResponse({ answer: response = {}, performs }: Fault): NonNullable<Fault["answer"]> {
  return performs === false ? { status: 200, ...response } : response;
}

/** Returns the delay in milliseconds. The number of the call determines the jitter, so every run has the same delays. */
export function findDelay({ delay, jitter, seen, id }: Pick<Fault, "delay" | "jitter" | "seen" | "id">): number {
  const [min, spread] = [delay, jitter].map((length) => (length === undefined ? 0 : (readDuration(length) ?? 0)));
  const part = (Math.imul(seen * 31 + id.length, 0x9e3779b1) >>> 0) / 2 ** 32;
  return (min ?? 0) + Math.round((spread ?? 0) * part);
}

function breakOff(socket: Socket, fault: SocketFault): void {
  switch (fault) {
    case "CONNECTION_RESET_BY_PEER":
      socket.resetAndDestroy();
      return;
    case "EMPTY_RESPONSE":
      socket.end();
      return;
    case "MALFORMED_RESPONSE_CHUNK":
      socket.end("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nno chunk");
      return;
    case "RANDOM_DATA_THEN_CLOSE":
      socket.end("lskdu018973t09sylgasjkfg1][]'./.sdlv");
      return;
    default:
      fault satisfies never;
  }
}
