import { describeUnknownName, type Problem } from "../../common/problem.js";
import { errorCodes } from "../../contract/error-catalogue.js";
import { routes } from "../../contract/routes.js";
import type { ToolPurpose } from "../../contract/tool-types.js";
import type { ToolNames } from "../../service/tools/tool-call.js";
import { durationForm, readDuration } from "../input/durations.js";
import { type Fault, type FaultRequest, type PlacedFaults, socketFaults } from "./faults.js";

type Field = keyof FaultRequest;

const longestDelayMs = 3_600_000;
const atLeastOne = { type: "integer", minimum: 1 };
const counts: Field[] = ["first", "nth", "every"];
const effects: Field[] = ["code", "status", "delay", "jitter", "bandwidth", "socket", "answer"];
/** Headers that determine the form of the message itself. */
const setByServer = ["content-length", "transfer-encoding", "connection", "date"];

/** JSON Schema of a request for a fault. It allows no other field. */
export const faultSchema = {
  type: "object",
  additionalProperties: false,
  required: ["on"],
  properties: {
    on: {
      type: "string",
      description: "A route as the contract names it, a tool, or * for every call.",
      examples: ["*", ...Object.keys(routes)],
    },
    first: { ...atLeastOne, description: "Applies to the first calls, this many." },
    nth: { ...atLeastOne, description: "Applies to the call with this number." },
    every: { ...atLeastOne, description: "Applies to every nth call. Without first, nth and every it applies to all calls." },
    code: {
      enum: errorCodes,
      description: "Answers with this code and with all fields and headers that the service gives with it.",
    },
    status: { type: "integer", minimum: 400, maximum: 599, description: "Answers with this status in the service's envelope." },
    retry_after: { type: ["integer", "null"], minimum: 0, description: "Seconds; null removes the header." },
    delay: { type: "string", description: `Waits first, in real time: ${durationForm}.` },
    jitter: { type: "string", description: "Adds a random part of this length to the delay." },
    bandwidth: { ...atLeastOne, description: "Limits the speed of the answer, in bytes per second." },
    socket: { enum: socketFaults, description: "Breaks the connection instead of answering." },
    answer: {
      type: "object",
      additionalProperties: false,
      minProperties: 1,
      description: "Changes the service's answer: body replaces the whole body, patch is a JSON merge patch.",
      properties: {
        status: { type: "integer", minimum: 200, maximum: 599 },
        headers: {
          type: "object",
          propertyNames: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
          additionalProperties: { type: ["string", "null"], pattern: "^[\\t -~]*$" },
        },
        body: true,
        patch: true,
      },
    },
    performs: {
      type: "boolean",
      description: "Whether the mock performs the operation although it sends another answer or none.",
    },
  },
};

/** Adds a fault after the others, or returns a problem. `on` may name a tool by its purpose. */
export function addFault(placedFaults: PlacedFaults, request: FaultRequest, tools: ToolNames): Fault | Problem {
  const on = findName(request.on, tools);
  const problem =
    findTargetProblem(on, request, tools) ??
    findEffectProblem(request) ??
    findWaitProblem(request) ??
    findResponseProblem(request);
  if (problem) return problem;
  const fault = { ...request, on, id: createFaultId(++placedFaults.faultCount), seen: 0, hits: 0 };
  placedFaults.faults.push(fault);
  return fault;
}

function findName(on: FaultRequest["on"], tools: ToolNames): FaultRequest["on"] {
  return Object.hasOwn(tools, on) ? (tools[on as ToolPurpose] as FaultRequest["on"]) : on;
}

function findTargetProblem(on: string, request: FaultRequest, tools: ToolNames): Problem | null {
  const names = ["*", ...Object.keys(routes), ...Object.values(tools)];
  if (!names.includes(on)) return { ...describeUnknownName("route or tool", request.on, names), field: "on" };
  const [, second] = listGivenFields(request, counts);
  return second ? { problem: "Give one of first, nth and every.", field: second, allowed: counts } : null;
}

function findEffectProblem(request: FaultRequest): Problem | null {
  if (listGivenFields(request, effects).length === 0) return { problem: "Give an effect.", field: "", allowed: effects };
  const [other] = listGivenFields(request, ["code", "status", "answer", "bandwidth"]);
  if (request.socket && other)
    return { problem: `A broken connection carries no ${other}.`, field: other, allowed: ["socket", "delay", "jitter"] };
  const [refusal] = listGivenFields(request, ["code", "status"]);
  if (request.answer && refusal)
    return {
      problem: `Give ${refusal} or answer: the first refuses the call, the second changes the service's answer.`,
      field: refusal,
    };
  return null;
}

function findWaitProblem(request: FaultRequest): Problem | null {
  const wrong = (["delay", "jitter"] as const).find((field) => request[field] !== undefined && !isDelay(request[field]));
  if (!wrong) return null;
  return { problem: `'${request[wrong]}' is not a ${wrong} of up to an hour; write ${durationForm}.`, field: wrong };
}

function findResponseProblem({ answer: response, performs }: FaultRequest): Problem | null {
  const framing = Object.keys(response?.headers ?? {}).find((name) => setByServer.includes(name.toLowerCase()));
  if (framing) return { problem: `The header ${framing} is set by the server.`, field: `answer.headers.${framing}` };
  if (response?.patch === undefined) return null;
  if (response.body !== undefined)
    return { problem: "Give body or patch: the whole answer or a part of it.", field: "answer.patch" };
  return performs === false
    ? { problem: "Without the operation there is no answer to patch. Remove performs or patch.", field: "performs" }
    : null;
}

function isDelay(text: string): boolean {
  const ms = readDuration(text);
  return ms !== null && ms <= longestDelayMs;
}

function listGivenFields(request: FaultRequest, fields: readonly Field[]): Field[] {
  return fields.filter((field) => request[field] !== undefined);
}

/** Returns the id of the nth fault of a world. */
export function createFaultId(number: number): string {
  return `fault_${number}`;
}
