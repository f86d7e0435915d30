import { errorCodes } from "../../contract/error-catalogue.js";
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

/** A fault as users request it: the calls that it applies to, and its effect. */
export interface FaultRequest {
  /** A route, as the contract names it, or a tool by its name or purpose; `*` for every call of either, to paths that do not exist too. */
  on: RouteName | ToolName | ToolPurpose | "*";
  /** Applies to the first calls, this many. */
  first?: number;
  /** Applies to the call with this number. */
  nth?: number;
  /** Applies to every nth call; without any of the three, to every call. */
  every?: number;
  /** Answers with this code of the catalogue, or with this status in the service's envelope. */
  code?: ErrorCode;
  status?: number;
  /** Whole seconds; null leaves the header out where an answer of this code carries it. */
  retry_after?: number | null;
  /** Waits this long in real time before anything else, such as `2s`. */
  delay?: string;
  /** Adds a part of this length to the delay. The number of the call determines the part. */
  jitter?: string;
  /** Limits the speed of the answer, in bytes per second. */
  bandwidth?: number;
  socket?: SocketFault;
  /** Changes what the service answers, in part or whole. */
  answer?: AnswerOverride;
  /** Whether the mock performs the operation although the answer goes wrong, as when an answer is lost. */
  performs?: boolean;
}

/** A placed fault. `seen` counts the calls that it could apply to, `hits` those that it applied to. */
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

/** Returns the fault that applies to this call; null for none. Every fault on the call counts it. */
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

/** Returns the catalogue's first code with a status, or the fallback of the status's class. ERR-TYPE-FALLBACK. */
export function codeOfStatus(status: number): ErrorCode {
  return errorCodes.find((code) => contract.errors[code].status === status) ?? (status >= 500 ? "internal_error" : "bad_request");
}

function appliesTo({ seen, first, nth, every }: Fault): boolean {
  if (first !== undefined) return seen <= first;
  if (nth !== undefined) return seen === nth;
  return seen % (every ?? 1) === 0;
}
