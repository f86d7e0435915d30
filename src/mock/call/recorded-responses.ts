import { readCall, readFields } from "../../client-report/exchange.js";
import { type RecordingLine, recordingFormat } from "../../client-report/recording.js";
import type { Problem } from "../../common/problem.js";
import { parseStrictJson } from "../../common/strict-json.js";
import { readUserFile } from "../../common/user-file.js";
import { contract } from "../../contract/load.js";
import { resolveRoute } from "../../contract/routes.js";
import type { ErrorCode } from "../../contract/types.js";
import { authenticateKey } from "../../service/access/access.js";
import type { IncomingCall } from "../../service/call.js";
import type { ToolResponse } from "../../service/tools/tool-call.js";
import type { World } from "../../service/world/world.js";
import type { Service } from "./service.js";

/** A recorded response. */
interface RecordedResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** The responses to each request, in the order of the recording. */
type RecordedResponses = ReadonlyMap<string, readonly RecordedResponse[]>;

const maxBytes = 256 * 1024 * 1024;

/**
 * Returns a service that answers with a recording of `counterpart proxy`. The same route or tool with the same input gets the recorded
 * answers in order, then the last one again. The service itself answers a call without a valid key, and a call that is not recorded.
 * Recorded answers change nothing in a world.
 */
export function respondAsRecorded(file: string, service: Service): Service | Problem {
  const read = readUserFile(file, maxBytes);
  if (!read.ok) return { problem: `The recording ${file} ${read.why}.` };
  const recorded = readRecordedResponses(read.text);
  if (recorded === null)
    return {
      problem: `${file} is not a recording of counterpart proxy: its first line must contain "format":"${recordingFormat}". counterpart replay reads a recording of counterpart mock.`,
    };
  if ("problem" in recorded) return { problem: `${file}, ${recorded.problem}.` };
  const heads = new WeakMap<World, Map<string, number>>();
  const next = (world: World, name: string): ToolResponse | null => {
    const found = recorded.get(name);
    if (!found) return null;
    const places = heads.get(world) ?? new Map<string, number>();
    heads.set(world, places);
    const place = places.get(name) ?? 0;
    places.set(name, Math.min(place + 1, found.length - 1));
    return buildResponse(found[place]!);
  };
  return {
    ...service,
    perform: (world, call) => (canUseRecording(world, call) && next(world, buildCallKey(call))) || service.perform(world, call),
    performTool: (world, call) =>
      next(world, buildToolKey(call.names[call.purpose], call.arguments)) ?? service.performTool(world, call),
  };
}

function canUseRecording(world: World, { authorization, ip, cookie }: IncomingCall): boolean {
  return cookie === undefined && !("refusal" in authenticateKey(world, { authorization, ip }));
}

/**
 * Returns null if the text is not a recording, and a problem if a line is not strict JSON. Omits lines without a response and an incomplete last
 * line.
 */
function readRecordedResponses(text: string): RecordedResponses | Problem | null {
  const [head = "", ...lines] = text.split("\n");
  if (readFields(parse(head)).format !== recordingFormat) return null;
  const recorded = new Map<string, RecordedResponse[]>();
  for (const [index, line] of lines.entries()) {
    const parsed = parseStrictJson(line);
    const isLast = index === lines.length - 1;
    if (!parsed.ok && !isLast && line.trim() !== "") return { problem: `line ${index + 2} ${parsed.why}` };
    const found = parsed.ok && readLine(readFields(parsed.value) as Partial<RecordingLine>);
    if (!found) continue;
    const [name, response] = found;
    const earlier = recorded.get(name);
    if (earlier) earlier.push(response);
    else recorded.set(name, [response]);
  }
  return recorded;
}

function readLine({ method, url, body, status, answer: response }: Partial<RecordingLine>): [string, RecordedResponse] | null {
  if (typeof method !== "string" || typeof url !== "string" || typeof status !== "number" || !response) return null;
  const { headers = {} } = response;
  if (url.startsWith("/mcp/")) return readToolLine(body, response.body);
  const [path = "", query = ""] = url.split("?", 2);
  const resolution = resolveRoute(method, path);
  if (resolution.found !== "route" || (response.body === undefined && status !== 204)) return null;
  const parameters = Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, [value]]));
  return [buildKey(resolution.route.name, resolution.params, parameters, body), { status, headers, body: response.body }];
}

function readToolLine(body: unknown, response: unknown): [string, RecordedResponse] | null {
  const call = readCall({ ...nothing, body, answer: response });
  const result = readFields(readFields(response).result);
  if (!call.isTool || call.status === null || !("content" in result)) return null;
  return [
    buildToolKey(call.operation, call.input),
    { status: call.status, headers: {}, body: result.structuredContent ?? readBodyText(result) },
  ];
}

const nothing = {
  ...{ number: null, at: 0, wall: 0, connection: {}, method: "POST", url: "/mcp/", headers: {}, hasBody: true },
  ...{ status: 200, responseHeaders: {}, overridden: false, skipsWait: false, skipsPause: false },
};

/** Returns the text of a tool result that has no structured content. */
function readBodyText(result: Readonly<Record<string, unknown>>): unknown {
  const [first] = Array.isArray(result.content) ? result.content : [];
  const { text } = readFields(first);
  return typeof text === "string" ? (parse(text) ?? text) : null;
}

function buildCallKey({ target, query, body }: IncomingCall): string {
  if (typeof target !== "object" || !("route" in target)) return "";
  return buildKey(target.route, target.params, query, body.kind === "json" ? body.value : undefined);
}

function buildKey(route: string, params: object, query: object, body: unknown): string {
  return JSON.stringify([route, sortKeys(params), sortKeys(query), sortKeys(body)]);
}

function buildToolKey(tool: string, given: unknown): string {
  return JSON.stringify([tool, sortKeys(given)]);
}

/** Returns the value with the keys of every object in one order. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sortKeys(inner)]),
  );
}

function buildResponse({ status, headers, body }: RecordedResponse): ToolResponse {
  const { code } = readFields(readFields(body).error);
  const known = typeof code === "string" && Object.hasOwn(contract.errors, code) ? (code as ErrorCode) : null;
  const { "content-type": _, ...kept } = headers;
  return {
    status,
    headers: { ...kept, "x-mock-recorded": "true" },
    body: status === 204 ? undefined : body,
    ...(typeof body === "string" && { text: body }),
    rule: { gate: "operation", code: known, clause: null },
    changes: [],
  };
}

function parse(line: string): unknown {
  const read = parseStrictJson(line);
  return read.ok ? read.value : undefined;
}
