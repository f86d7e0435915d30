import type { IncomingMessage, ServerResponse } from "node:http";
import type { ValidateFunction } from "ajv";
import { compileSchema } from "../../contract/load.js";
import { pathOf, sendJson, targetOf } from "../answer.js";
import { decodeJson, readBytes } from "../body.js";
import { catchUp } from "../clock.js";
import { answerPreflight } from "../cors.js";
import { schemaProblems } from "../problems.js";
import type { Site } from "../site.js";
import { meterEndpoints } from "./buckets.js";
import { clockEndpoints } from "./clock.js";
import { driveEndpoints } from "./drive.js";
import type { ControlReply, ControlRequest, Endpoint } from "./endpoint.js";
import { faultEndpoints } from "./faults.js";
import { accessProblem } from "./guard.js";
import { journalEndpoints } from "./journal.js";
import { siteEndpoints } from "./site.js";
import { worldEndpoints } from "./worlds.js";

/** A snapshot of a world with a hundred thousand rows is the longest thing to be sent here. */
const mostBytes = 268_435_456;

const endpoints = [
  ...siteEndpoints,
  ...worldEndpoints,
  ...clockEndpoints,
  ...driveEndpoints,
  ...faultEndpoints,
  ...journalEndpoints,
  ...meterEndpoints,
];

const validators = new Map<object, ValidateFunction>();

/** Answers one request to the control plane, `/__mock/…`. Mistakes are `{error: {message, allowed?}}`. */
export function serveControl(site: Site, request: IncomingMessage, response: ServerResponse): void {
  const problem = accessProblem(site, request);
  if (problem) {
    send(request, response, problem);
    return;
  }
  if (answerPreflight(request, response)) return;
  readBytes(request, mostBytes, async (content) => {
    send(request, response, await answer(site, request, content).catch((error: unknown) => fail(request, error)));
  });
}

async function answer(site: Site, request: IncomingMessage, content: Buffer | null): Promise<ControlReply> {
  if (!content) return { status: 413, problem: `The body is larger than ${mostBytes} bytes.` };
  const path = pathOf(request).slice("/__mock".length);
  const matching = endpoints.flatMap((endpoint) => {
    const params = bind(endpoint, path);
    return params ? [{ endpoint, params }] : [];
  });
  const found = matching.find(({ endpoint }) => endpoint.on.startsWith(`${request.method} `));
  if (found) return run(site, found.endpoint, found.params, request, content);
  if (matching.length === 0)
    return { status: 404, problem: "The control plane has no such path.", allowed: endpoints.map(({ on }) => on) };
  return {
    status: 405,
    problem: `This path does not take ${request.method}.`,
    allowed: matching.map(({ endpoint }) => endpoint.on),
  };
}

async function run(
  site: Site,
  endpoint: Endpoint,
  params: Record<string, string>,
  request: IncomingMessage,
  content: Buffer,
): Promise<ControlReply> {
  const hosted = params.id === undefined ? site.worlds.default : site.worlds.byId.get(params.id);
  if (!hosted) return { status: 404, problem: `There is no world '${params.id}'.` };
  const body = endpoint.body
    ? decodeJson(content.length > 0 ? content : Buffer.from("{}"))
    : { kind: "json" as const, value: undefined };
  if (body.kind !== "json") return { problem: `The body is not JSON: ${"problem" in body ? body.problem : body.kind}.` };
  const controlRequest: ControlRequest = { site, hosted, params, query: queryOf(request), body: body.value };
  const problem = check(endpoint.body, controlRequest.body, false) ?? check(endpoint.query, controlRequest.query, true);
  if (problem) return problem;
  catchUp(hosted.clock);
  return endpoint.run(controlRequest);
}

function check(schema: object | undefined, value: unknown, coerceTypes: boolean) {
  if (!schema) return null;
  const validate = validators.get(schema) ?? compileSchema(schema, { coerceTypes });
  validators.set(schema, validate);
  return validate(value) ? null : schemaProblems(validate.errors, schema);
}

/** The values of the path's variables, or null when it is another path. */
function bind({ on }: Endpoint, path: string): Record<string, string> | null {
  const template = on.slice(on.indexOf(" ") + 1).split("/");
  const segments = path.split("/");
  if (template.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of template.entries()) {
    const segment = segments[i] ?? "";
    if (part.startsWith("{")) params[part.slice(1, -1)] = segment;
    else if (part !== segment) return null;
  }
  return params;
}

function queryOf(request: IncomingMessage): Record<string, unknown> {
  const [, query] = targetOf(request).split("?", 2);
  return Object.fromEntries(new URLSearchParams(query ?? ""));
}

function send(request: IncomingMessage, response: ServerResponse, reply: ControlReply): void {
  if ("problem" in reply) {
    const { status, problem, allowed } = reply;
    sendJson(request, response, status ?? 400, { error: { message: problem, ...(allowed && { allowed }) } });
  } else sendJson(request, response, reply.status, reply.body);
}

function fail(request: IncomingMessage, error: unknown): ControlReply {
  console.error(`counterpart: ${request.method} ${pathOf(request)} failed: ${String(error)}`.replaceAll("\n", " "));
  return { status: 500, problem: "The mock failed; its log says more." };
}
