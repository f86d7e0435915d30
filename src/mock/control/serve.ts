import { STATUS_CODES } from "node:http";
import { escapeLine, escapeMessageLine } from "../../common/escape/visible.js";
import { describeUnknownName, formatProblem, type Problem } from "../../common/problem.js";
import { findJsonFlaw } from "../../common/strict-json.js";
import { isNotPersisted, isOutcomeUnknown, isUnreadable } from "../cluster/not-persisted.js";
import { findWorld, listWorlds } from "../cluster/ownership.js";
import type { MockContext } from "../context.js";
import { endInPieces } from "../http/backlog.js";
import { type Content, decodeJson, readBytes } from "../http/body.js";
import { buildCorsHeaders, respondToPreflight } from "../http/cors.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { endText, readClientAddress, readPath, readTarget, sendJson } from "../http/response.js";
import { writeJsonInSlices } from "../journal/slices.js";
import { findConsoleFile, sendConsole } from "./console.js";
import type { ControlResponse, Endpoint } from "./endpoint.js";
import { endpoints, runEndpoint } from "./endpoints.js";
import { findAccessProblem, findOriginProblem } from "./guard.js";

/** Maximum length of a body in bytes, if the endpoint has no other limit. */
const maxBytes = 1_048_576;
/** Maximum length of a body in which repeated names are looked for. A person writes no longer one, and it must not block the mock. */
const maxCheckedBytes = 262_144;

/** An endpoint, and the values of the variables in its path. */
interface FoundEndpoint {
  endpoint: Endpoint;
  params: Record<string, string>;
}

/** The segments of the path of each endpoint. */
const templates = endpoints.map(({ on }) => on.slice(on.indexOf(" ") + 1).split("/"));

/** Answers one request to the control plane, `/__mock/…`. Errors are problem documents (RFC 9457). */
export function serveControl(context: MockContext, request: IncomingMessage, response: ServerResponse): void {
  const file = findConsoleFile(request);
  const problem = file ? findOriginProblem(context, request) : findAccessProblem(context, request);
  if (problem) {
    send(request, response, problem);
    return;
  }
  if (file) {
    sendConsole(request, response, file);
    return;
  }
  if (respondToPreflight(request, response)) return;
  const found = findEndpoint(request);
  const limit = ("endpoint" in found && found.endpoint.limit) || { maxBytes, instead: "" };
  readBytes(request, limit.maxBytes, async (content, _, isCut) => {
    const serviceResponse =
      typeof content === "string"
        ? refuseContent(content, limit)
        : "endpoint" in found
          ? run(context, found, request, content)
          : found;
    send(request, response, await Promise.resolve(serviceResponse).catch((error: unknown) => fail(request, error)), isCut);
  });
}

function refuseContent(why: Exclude<Content, Buffer>, { maxBytes, instead }: NonNullable<Endpoint["limit"]>): ControlResponse {
  if (why === "too-large")
    return { status: 413, problem: `The body is larger than ${maxBytes} bytes.${instead && ` ${instead}`}` };
  return {
    status: 503,
    problem: "The mock is reading too many long bodies. Send this one again later.",
  };
}

/** Returns the endpoint that a request line names, or the refusal. */
function findEndpoint(request: IncomingMessage): FoundEndpoint | (Problem & { status: number }) {
  const segments = (readPath(request).slice("/__mock".length) || "/").split("/");
  const matching = endpoints.flatMap((endpoint, index) => {
    const params = bind(templates[index] ?? [], segments);
    return params ? [{ endpoint, params }] : [];
  });
  const found = matching.find(({ endpoint }) => endpoint.on.startsWith(`${request.method === "HEAD" ? "GET" : request.method} `));
  if (found) return found;
  if (matching.length === 0)
    return { status: 404, problem: "The control plane has no such path.", allowed: endpoints.map(({ on }) => on) };
  return {
    status: 405,
    problem: `This path does not take ${request.method}.`,
    allowed: matching.map(({ endpoint }) => endpoint.on),
  };
}

function run(context: MockContext, found: FoundEndpoint, request: IncomingMessage, content: Buffer): Promise<ControlResponse> {
  return respond(context, found, request, content).catch((error: unknown) => discard(context, found, error));
}

async function respond(
  context: MockContext,
  { endpoint, params }: FoundEndpoint,
  request: IncomingMessage,
  content: Buffer,
): Promise<ControlResponse> {
  const { cluster, worlds } = context;
  const isGone = () => request.socket.destroyed === true;
  const worldEntry =
    params.id === undefined ? worlds.default : cluster ? await findWorld(cluster, params.id, isGone) : worlds.byId.get(params.id);
  if (!worldEntry) {
    const { worlds: names } = await listWorlds(context);
    return { status: 404, ...describeUnknownName("world", params.id ?? "", names), field: "id", allowed: names.slice(0, 20) };
  }
  if (!endpoint.body && !isEmpty(content)) return { problem: `${endpoint.on} takes no body.`, field: "" };
  const body = endpoint.body
    ? decodeJson(content.length > 0 ? content : Buffer.from("{}"))
    : { kind: "json" as const, value: undefined };
  if (body.kind !== "json")
    return { problem: `The body is not JSON: ${"problem" in body ? body.problem : body.kind}.`, field: "" };
  const flaw = content.length > maxCheckedBytes ? undefined : findJsonFlaw(content.toString());
  if (flaw) return { problem: `The body ${flaw.why}. Give each name once.`, field: flaw.path.join(".") };
  const { query, repeated } = readQuery(request);
  if (repeated !== undefined)
    return { problem: `The query has the parameter '${repeated}' twice. Give it once.`, field: repeated };
  const caller = readClientAddress(request, false);
  const response = await runEndpoint(endpoint, {
    ...{ context, worldEntry, params, query, body: body.value },
    ...(caller !== null && { caller }),
  });
  if (cluster && params.id !== undefined) await cluster.confirm(worldEntry);
  if (!endpoint.isLong || !("body" in response)) return response;
  return { status: response.status, pieces: await writeJsonInSlices(response.body) };
}

/** Deletes a world whose data in the store cannot be read, if the endpoint deletes worlds. */
async function discard(
  { cluster }: MockContext,
  { endpoint: { deletes }, params: { id } }: FoundEndpoint,
  error: unknown,
): Promise<ControlResponse> {
  if (!cluster || !deletes || id === undefined || !isUnreadable(error)) throw error;
  await cluster.discard(id);
  return { status: 204 };
}

/** Returns whether a body has no content. Some clients send `{}` or `null` with every request. */
function isEmpty(content: Buffer): boolean {
  return content.length <= 4 && ["", "{}", "null"].includes(content.toString().trim());
}

/** Returns the values of the path variables, or null if the path does not match. */
function bind(template: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (template.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of template.entries()) {
    const segment = segments[i] ?? "";
    if (part.startsWith("{")) params[part.slice(1, -1)] = segment;
    else if (part !== segment) return null;
  }
  return params;
}

/** Returns the parameters of a query, and a name that several parameters have. */
function readQuery(request: IncomingMessage): { query: Record<string, string>; repeated: string | undefined } {
  const [, text] = readTarget(request).split("?", 2);
  const parameters = new URLSearchParams(text);
  const query = Object.fromEntries(parameters);
  return { query, repeated: Object.keys(query).find((name) => parameters.getAll(name).length > 1) };
}

/** Sends a reply. After an unread part of a body, the connection is closed. */
function send(request: IncomingMessage, response: ServerResponse, serviceResponse: ControlResponse, isLast = false): void {
  if ("problem" in serviceResponse) {
    const { status = 400, field, pointer, allowed } = serviceResponse;
    const problem = formatProblem(serviceResponse);
    const body = {
      type: "about:blank",
      title: STATUS_CODES[status],
      status,
      detail: problem,
      ...(field !== undefined && { field: escapeMessageLine(field) }),
      ...(pointer !== undefined && { pointer: escapeMessageLine(pointer) }),
      ...(allowed && { allowed }),
      // also the form that the mock had before problem documents
      error: { message: problem, ...(allowed && { allowed }) },
    };
    const headers = isLast ? ["connection", "close"] : [];
    if (status === 405) headers.push("allow", listMethods(allowed ?? []));
    if (status === 503) headers.push("retry-after", "1");
    sendJson(request, response, status, body, { type: "application/problem+json", headers });
  } else if (serviceResponse.stream) serviceResponse.stream(request, response);
  else if (serviceResponse.html !== undefined) sendPage(response, serviceResponse.html);
  else if (serviceResponse.text !== undefined)
    sendText(request, response, serviceResponse.text, serviceResponse.type ?? "text/plain");
  else if (serviceResponse.pieces) sendPieces(request, response, serviceResponse.status, serviceResponse.pieces);
  else sendJson(request, response, serviceResponse.status, serviceResponse.body);
}

/** Returns the methods of operations such as `GET /path`, for the Allow header. */
function listMethods(operations: readonly string[]): string {
  return operations.flatMap((on) => (on.startsWith("GET ") ? ["GET", "HEAD"] : [on.replace(/ .*/, "")])).join(", ");
}

function sendText(request: IncomingMessage, response: ServerResponse, text: string, type: string): void {
  const head = ["content-type", `${type}; charset=utf-8`, "content-length", String(Buffer.byteLength(text))];
  response.writeHead(200, [...head, ...buildCorsHeaders(request)]);
  endText(response, text);
}

/** Sends JSON that was written in pieces. */
function sendPieces(request: IncomingMessage, response: ServerResponse, status: number, pieces: readonly Buffer[]): void {
  const length = pieces.reduce((sum, { length }) => sum + length, 0);
  const head = ["content-type", "application/json; charset=utf-8", "content-length", String(length)];
  response.writeHead(status, [...head, ...buildCorsHeaders(request)]);
  endInPieces(response, pieces);
}

/** A page that loads nothing and cannot be framed. */
function sendPage(response: ServerResponse, html: string): void {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";
  const head = ["content-type", "text/html; charset=utf-8", "content-length", String(Buffer.byteLength(html))];
  response.writeHead(200, [...head, "content-security-policy", policy, "vary", "accept"]).end(html);
}

function fail(request: IncomingMessage, error: unknown): ControlResponse {
  if (isOutcomeUnknown(error, request.method))
    return {
      status: 504,
      problem:
        "The store does not answer, so it is unknown whether the request took effect. Read the world before you repeat the request.",
    };
  if (isNotPersisted(error))
    return { status: 503, problem: "Nothing was done: the store does not answer, or another mock owns the world." };
  if (isUnreadable(error)) return { status: 500, problem: error.message };
  console.error(escapeLine(`counterpart: ${request.method} ${readPath(request)} failed: ${String(error)}`));
  return { status: 500, problem: "The mock failed. Its log contains the error." };
}
