import { errorCodes } from "../contract/catalogue.js";
import { contract } from "../contract/load.js";
import type { ToolName } from "../contract/names.js";
import { routes } from "../contract/routes.js";
import type { ToolPurpose } from "../contract/tool-types.js";
import type { ErrorCode, RouteName } from "../contract/types.js";
import type { Refusal } from "../service/call.js";
import type { ToolNames } from "../service/tools/tool-call.js";
import { durationForm, readDuration } from "./durations.js";
import { type Problem, unknownName } from "./problems.js";

/** Ways to break a connection instead of answering, by WireMock's names. */
export const socketFaults = [
  "CONNECTION_RESET_BY_PEER",
  "EMPTY_RESPONSE",
  "MALFORMED_RESPONSE_CHUNK",
  "RANDOM_DATA_THEN_CLOSE",
] as const;
/** One of these ways. */
export type SocketFault = (typeof socketFaults)[number];

/** A fault as users ask for it: on which calls of one operation, and what goes wrong. */
export interface FaultRequest {
  /** A route, as the contract names it, or a tool by its name or purpose. */
  on: RouteName | ToolName | ToolPurpose;
  /** Strikes the first so many calls. */
  first?: number;
  /** Strikes that one call. */
  nth?: number;
  /** Strikes each so-many-th call; without any of the three, every one. */
  every?: number;
  /** Answers with this code of the catalogue, or with this status in the service's envelope. */
  code?: ErrorCode;
  status?: number;
  /** Whole seconds. */
  retry_after?: number;
  /** Waits this long on the wall's clock before anything else, such as `2s`. */
  delay?: string;
  socket?: SocketFault;
  /** Whether the work is done although the answer goes wrong, as when an answer is lost on its way. */
  performs?: boolean;
}

/** A fault in place, with how many calls it has seen and struck. */
export interface Fault extends FaultRequest {
  id: string;
  seen: number;
  hits: number;
}

const longestDelayMs = 3_600_000;
const atLeastOne = { type: "integer", minimum: 1 };

/** JSON Schema of a fault request, closed. */
export const faultSchema = {
  type: "object",
  additionalProperties: false,
  required: ["on"],
  properties: {
    on: { type: "string" },
    first: atLeastOne,
    nth: atLeastOne,
    every: atLeastOne,
    code: { enum: errorCodes },
    status: { type: "integer", minimum: 400, maximum: 599 },
    retry_after: { type: "integer", minimum: 0 },
    delay: { type: "string" },
    socket: { enum: socketFaults },
    performs: { type: "boolean" },
  },
};

/** Puts a fault in place behind the others, or says why not. A tool may be named by its purpose too. */
export function addFault(faults: Fault[], request: FaultRequest, tools: ToolNames): Fault | Problem {
  const names = [...Object.keys(routes), ...Object.values(tools)];
  const on = Object.hasOwn(tools, request.on) ? tools[request.on as ToolPurpose] : request.on;
  if (!names.includes(on)) return unknownName("route or tool", request.on, names);
  if (countOf(request, ["first", "nth", "every"]) > 1) return { problem: "Give one of first, nth and every." };
  if (countOf(request, ["code", "status", "delay", "socket"]) === 0)
    return { problem: "Say what goes wrong.", allowed: ["code", "status", "delay", "socket"] };
  if (request.socket && countOf(request, ["code", "status"]) > 0)
    return { problem: "A broken connection carries no code or status." };
  if (request.delay !== undefined && !isDelay(request.delay))
    return { problem: `'${request.delay}' is no delay of up to an hour; write ${durationForm}.` };
  const fault = { ...request, on, id: nextId(faults), seen: 0, hits: 0 };
  faults.push(fault);
  return fault;
}

/** The fault that strikes this call, if any; every fault on it counts the call. */
export function takeFault(faults: Fault[], name: string | null): Fault | null {
  let striking: Fault | null = null;
  for (const fault of faults) {
    if (fault.on !== name) continue;
    fault.seen++;
    if (!striking && strikes(fault)) striking = fault;
  }
  if (striking) striking.hits++;
  return striking;
}

/** The refusal that a fault answers with, and its status; null when it does not answer so. */
export function refusalOf({ code, status, retry_after }: FaultRequest): { refusal: Refusal; status: number } | null {
  const slug = code ?? (status === undefined ? null : codeOfStatus(status));
  if (slug === null) return null;
  const refusal = { code: slug, ...(retry_after !== undefined && { retryAfter: retry_after }) };
  return { refusal, status: status ?? contract.errors[slug].status };
}

/** The catalogue's first code with a status; where it has none, the fallback of the status's class. ERR-TYPE-FALLBACK. */
export function codeOfStatus(status: number): ErrorCode {
  return errorCodes.find((code) => contract.errors[code].status === status) ?? (status >= 500 ? "internal_error" : "bad_request");
}

function strikes({ seen, first, nth, every }: Fault): boolean {
  if (first !== undefined) return seen <= first;
  if (nth !== undefined) return seen === nth;
  return seen % (every ?? 1) === 0;
}

function isDelay(text: string): boolean {
  const ms = readDuration(text);
  return ms !== null && ms <= longestDelayMs;
}

function countOf(request: FaultRequest, fields: (keyof FaultRequest)[]): number {
  return fields.filter((field) => request[field] !== undefined).length;
}

function nextId(faults: Fault[]): string {
  const last = faults.at(-1);
  return `fault_${last ? Number(last.id.slice("fault_".length)) + 1 : 1}`;
}
