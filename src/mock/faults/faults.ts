import { errorCodes } from "../../contract/catalogue.js";
import { contract } from "../../contract/load.js";
import type { ToolName } from "../../contract/names.js";
import type { ToolPurpose } from "../../contract/tool-types.js";
import type { ErrorCode, RouteName } from "../../contract/types.js";
import type { AnswerOverride } from "./answer-override.js";

/** Ways to break a connection instead of answering, by WireMock's names. */
export const socketFaults = [
  "CONNECTION_RESET_BY_PEER",
  "EMPTY_RESPONSE",
  "MALFORMED_RESPONSE_CHUNK",
  "RANDOM_DATA_THEN_CLOSE",
] as const;
/** One of these ways. */
export type SocketFault = (typeof socketFaults)[number];

/** A fault as users ask for it: on which calls, and what goes wrong. */
export interface FaultRequest {
  /** A route, as the contract names it, or a tool by its name or purpose; `*` for every call of either, to paths that do not exist too. */
  on: RouteName | ToolName | ToolPurpose | "*";
  /** Strikes the first so many calls. */
  first?: number;
  /** Strikes that one call. */
  nth?: number;
  /** Strikes each so-many-th call; without any of the three, every one. */
  every?: number;
  /** Answers with this code of the catalogue, or with this status in the service's envelope. */
  code?: ErrorCode;
  status?: number;
  /** Whole seconds; null leaves the header out where an answer of this code carries it. */
  retry_after?: number | null;
  /** Waits this long on the wall's clock before anything else, such as `2s`. */
  delay?: string;
  /** Waits up to so much longer, another length each time, by the number of the call. */
  jitter?: string;
  /** Sends the answer no faster than so many bytes a second. */
  bandwidth?: number;
  socket?: SocketFault;
  /** Changes what the service answers, in part or whole. */
  answer?: AnswerOverride;
  /** Whether the work is done although the answer goes wrong, as when an answer is lost on its way. */
  performs?: boolean;
}

/** A fault in place, with how many calls it has seen and struck. */
export interface Fault extends FaultRequest {
  id: string;
  seen: number;
  hits: number;
}

/** The faults of a world. */
export interface PlacedFaults {
  faults: Fault[];
  /** How many faults the world has had: the number in the id of the newest one. An id is used once. */
  faultCount: number;
}

/** The fault that strikes this call, if any; every fault on it counts the call. */
export function matchFault(faults: Fault[], name: string | null): Fault | null {
  let striking: Fault | null = null;
  for (const fault of faults) {
    if (fault.on !== "*" && fault.on !== name) continue;
    fault.seen++;
    if (!striking && appliesTo(fault)) striking = fault;
  }
  if (striking) striking.hits++;
  return striking;
}

/** The catalogue's first code with a status; where it has none, the fallback of the status's class. ERR-TYPE-FALLBACK. */
export function codeOfStatus(status: number): ErrorCode {
  return errorCodes.find((code) => contract.errors[code].status === status) ?? (status >= 500 ? "internal_error" : "bad_request");
}

function appliesTo({ seen, first, nth, every }: Fault): boolean {
  if (first !== undefined) return seen <= first;
  if (nth !== undefined) return seen === nth;
  return seen % (every ?? 1) === 0;
}
