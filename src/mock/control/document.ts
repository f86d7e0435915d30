import { contract } from "../../contract/load.js";
import type { MockContext } from "../context.js";
import type { Endpoint } from "./endpoint.js";
import { buildEventExamples } from "./event-examples.js";
import { readResultSchemas } from "./result-schemas.js";

/** One path of the document: an endpoint, or an event of `drive`. */
interface PathEntry {
  path: string;
  endpoint: Endpoint;
  event: string | null;
}

const examplesOfParameters: Record<string, string> = { id: "default", fault: "fault_1" };
const drivePath = "/drive/{event}";

/**
 * Returns the endpoints for the list of endpoints and for the OpenAPI document of the control plane. `all` returns all endpoints, these two
 * included.
 */
export function documentEndpoints(listEndpoints: () => readonly Endpoint[]): Endpoint[] {
  return [
    {
      on: "GET /",
      description: "Returns the list of endpoints; for a browser, the console.",
      status: 200,
      run: ({ context }) => {
        const { control_url, docs_url } = context.addresses;
        const routes = listEndpoints().map(({ on, description }) => ({ route: on, description }));
        const documents = { openapi: `${control_url}/openapi.json`, explorer: `${docs_url}/control` };
        return { status: 200, body: { base_url: control_url, ...documents, routes, events: Object.keys(contract.events) } };
      },
    },
    {
      on: "GET /openapi.json",
      description: "Returns this document: every route and event, with valid example bodies.",
      status: 200,
      run: ({ context }) => ({ status: 200, body: buildControlDocument(context, listEndpoints()) }),
    },
  ];
}

/**
 * Describes the control plane in OpenAPI 3.1: every route, each event as a separate path, and bodies that the default world accepts now.
 */
export function buildControlDocument(context: MockContext, endpoints: readonly Endpoint[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const pathEntry of endpoints.flatMap(buildPaths)) {
    const method = pathEntry.endpoint.on.split(" ", 1)[0]?.toLowerCase() ?? "";
    const path = `/__mock${pathEntry.path === "/" ? "" : pathEntry.path}`;
    paths[path] = { ...paths[path], [method]: buildOperation(context, pathEntry) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Control plane of the mock",
      version: "1",
      description:
        "Worlds, their clocks, faults, journals, and the events that happen outside the API. Every example body is valid as it is.",
    },
    servers: [{ url: context.addresses.api_url, description: "This mock" }],
    security: context.adminToken === null ? [] : [{ admin: [] }],
    tags: ["mock", "worlds", "state", "clock", "drive", "faults", "journal", "buckets"].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...readResultSchemas().shared, Problem: problem },
      ...(context.adminToken !== null && { securitySchemes: admin }),
    },
  };
}

function buildPaths(endpoint: Endpoint): PathEntry[] {
  const path = endpoint.on.slice(endpoint.on.indexOf(" ") + 1);
  if (!path.endsWith(drivePath)) return [{ path, endpoint, event: null }];
  return Object.keys(contract.events).map((event) => ({ path: path.replace("{event}", event), endpoint, event }));
}

function buildOperation(context: MockContext, { path, endpoint, event }: PathEntry): object {
  const on = endpoint.on.replace(/ .*/, ` ${path}`);
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => buildPathParameter(name));
  return {
    operationId: [endpoint.on.split(" ", 1)[0]?.toLowerCase(), ...path.split(/[^A-Za-z]+/)].filter(Boolean).join("-"),
    tags: [chooseTag(path)],
    summary: event ? contract.events[event]?.description : endpoint.description,
    parameters: [...parameters, ...buildQueryParameter(endpoint.query)],
    ...(endpoint.body && { requestBody: buildBody(context, endpoint, event) }),
    responses: {
      [endpoint.status]:
        endpoint.status === 204
          ? { description: "Done." }
          : { description: "Done.", content: { [buildResponseType(endpoint)]: buildResponse(on) } },
      "4XX": {
        description: "The request is invalid, and nothing was changed.",
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}

/** Returns the schema of a response and an example. The page of the docs site cannot read an `example` that has a null. */
function buildResponse(on: string): object {
  const { schema, example } = readResultSchemas().results[on] ?? {};
  return { schema, ...(example !== undefined && { examples: { usual: { value: example } } }) };
}

function buildResponseType({ streams }: Endpoint): string {
  return streams ? "text/event-stream" : "application/json";
}

function buildBody(context: MockContext, { body, examples, exampleFrom }: Endpoint, event: string | null): object {
  const { world } = context.worlds.default;
  const values = event ? buildEventExamples(event, world) : examples?.(world);
  const shown: [string, object][] = Object.entries(values ?? {}).map(([summary, value]) => [
    buildOperationName(summary),
    { summary, value },
  ]);
  if (exampleFrom) {
    const externalValue = `${context.addresses.control_url}${exampleFrom.replace("{id}", "default")}`;
    shown.push(["taken", { summary: "The earlier value", externalValue }]);
  }
  const schema = event ? contract.events[event]?.arguments : body;
  return { content: { "application/json": { schema, examples: Object.fromEntries(shown) } } };
}

function buildOperationName(summary: string): string {
  return summary.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

function chooseTag(path: string): string {
  const [, first, , second] = path.split("/");
  return first === "worlds" && second !== undefined && second !== "reset" && second !== "snapshot"
    ? second
    : first === "worlds"
      ? "worlds"
      : "mock";
}

function buildPathParameter(name: string): object {
  return { name, in: "path", required: true, schema: { type: "string" }, example: examplesOfParameters[name] ?? name };
}

function buildQueryParameter(query: Endpoint["query"]): object[] {
  const properties = (query as { properties?: Record<string, { description?: string }> } | undefined)?.properties ?? {};
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    ...(schema.description && { description: schema.description }),
    schema,
  }));
}

const admin = { admin: { type: "http", scheme: "bearer" } };

/** A problem document (RFC 9457) with the fields that the mock adds. */
const problem = {
  type: "object",
  required: ["title", "status", "detail", "error"],
  properties: {
    type: { const: "about:blank" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string", description: "The mistake, and its level." },
    field: { type: "string", description: "The invalid field, with dots between levels; empty for the whole body." },
    pointer: {
      type: "string",
      format: "json-pointer",
      description: "The same field as a JSON pointer, because names may contain dots.",
    },
    allowed: { type: "array", items: { type: "string" }, description: "All allowed values." },
    error: {
      type: "object",
      required: ["message"],
      properties: { message: { type: "string" }, allowed: { type: "array", items: { type: "string" } } },
    },
  },
};
