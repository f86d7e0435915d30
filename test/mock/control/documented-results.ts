import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { IsolatedWorld, Mock } from "../../../src/index.js";

/** An example of a request body. */
export interface Example {
  summary: string;
  value?: unknown;
  externalValue?: string;
}

/** An operation of the document. */
export interface Operation {
  operationId: string;
  summary: string;
  parameters: { name: string; in: string; example?: string }[];
  requestBody?: { content: Record<string, { schema: object; examples: Record<string, Example> }> };
  responses: Record<string, { content?: Record<string, { schema?: object; examples?: Record<string, Example> }> }>;
}

/** The document of the control plane. */
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: object };
};

const validators = new Map<Operation, ValidateFunction>();

/** Returns the mistakes of a body according to the documented schema. A field that the schema does not name is a mistake. */
export function listMistakes(document: Document, operation: Operation, body: unknown): string {
  const [{ content = {} } = {}] = Object.values(operation.responses);
  const [{ schema } = {}] = Object.values(content);
  if (!schema || Object.keys(schema).length === 0) return "the document has no schema";
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const validate = validators.get(operation) ?? ajv.compile(close({ ...schema, components: document.components }) as object);
  validators.set(operation, validate);
  return validate(body) ? "" : ajv.errorsText(validate.errors);
}

/** Returns a schema whose objects with named fields allow no other field. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== "object" || schema === null) return schema;
  const isOpen = "properties" in schema && !("additionalProperties" in schema);
  const closed = Object.fromEntries(Object.entries(schema).map(([name, inner]) => [name, close(inner)]));
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}

/** Returns a world with calls of every kind in its journal: served, refused, unknown, faulty, and of a tool. */
export async function createUsedWorld(mock: Mock): Promise<IsolatedWorld> {
  const world = await mock.world();
  const headers = { authorization: `Bearer ${world.keys.full}`, "content-type": "application/json" };
  const submission = { workflow: "audit", params: {} };
  world.fault({ on: "GET /api/jobs", status: 500 });
  for (const path of ["/api/jobs/job_0", "/api/jobs", "/api/observations?limit=1&stats=1", "/api/nothing"])
    await world.fetch(path, { headers });
  await world.fetch(`/api/repos/${world.repos[0]}/jobs`, { method: "POST", headers, body: JSON.stringify(submission) });
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_observations", arguments: { limit: 1 } } };
  await world.fetch("/mcp/", {
    ...{ method: "POST", body: JSON.stringify(call) },
    headers: { ...headers, accept: "application/json, text/event-stream" },
  });
  world.removeFaults();
  world.fault({ on: "*", status: 500 });
  return world;
}
