import { errorCodes } from "../../contract/error-catalogue.js";
import { contract } from "../../contract/load.js";
import type { ToolName } from "../../contract/names.js";
import type { ToolPurpose } from "../../contract/tool-types.js";
import type { ErrorCode, RouteName } from "../../contract/types.js";
import type { ResponseOverride } from "./response-override.js";

/** Ways to break a connection, by the names of WireMock. */
export const socketFaults = [
  "CONNECTION_RESET_BY_PEER",
  "EMPTY_RESPONSE",
  "MALFORMED_RESPONSE_CHUNK",
  "RANDOM_DATA_THEN_CLOSE",
] as const;
/** One of these ways. */
export type SocketFault = (typeof socketFaults)[number];

/** A fault as users request it: its calls and its effect. */
export interface FaultRequest {
  /** A route, or a tool by name or purpose. `*` means every call, also to unknown paths. */
  on: RouteName | ToolName | ToolPurpose | "*";
  /** Applies to this many first calls. */
  first?: number;
  /** Applies to the call with this number. */
  nth?: number;
  /** Applies to every nth call. Without `first`, `nth` and `every`: to every call. */
  every?: number;
  /** Answers with this code of the catalogue, or with this status and the service's error envelope. */
  code?: ErrorCode;
  status?: number;
  /** Whole seconds; null removes the header. */
  retry_after?: number | null;
  /** Waits this long in real time before anything else, such as `2s`. */
  delay?: string;
  /** Adds a part of this duration to the delay. The number of the call determines the part. */
  jitter?: string;
  /** Limits the speed of the response, in bytes per second. */
  bandwidth?: number;
  socket?: SocketFault;
  /** Changes the service's answer in part or completely. */
  answer?: ResponseOverride;
  /** Whether the mock performs the operation although it sends another response or none. */
  performs?: boolean;
}

/** A fault of a world. `seen` counts the calls to which it could apply, `hits` those to which it applied. */
export interface Fault extends FaultRequest {
  id: string;
  seen: number;
  hits: number;
}

/** The faults of a world. */
export interface PlacedFaults {
  faults: Fault[];
  /** Number of faults that the world has had. The id of the newest fault contains it, so no id is reused. */
  faultCount: number;
}

/** Returns the fault that applies to this call, or null. Every fault for this operation counts the call. */
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

/** Returns the first code of the catalogue with a status, or the fallback for the class of the status. ERR-TYPE-FALLBACK. */
export function findCode(status: number): ErrorCode {
  return errorCodes.find((code) => contract.errors[code].status === status) ?? (status >= 500 ? "internal_error" : "bad_request");
}

function appliesTo({ seen, first, nth, every }: Fault): boolean {
  if (first !== undefined) return seen <= first;
  if (nth !== undefined) return seen === nth;
  return seen % (every ?? 1) === 0;
}
