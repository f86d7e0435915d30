import { contract } from "../../../contract/load.js";
import { inlineReferences } from "../../../contract/references.js";
import { listParameters, routes } from "../../../contract/routes.js";
import type { RouteName } from "../../../contract/types.js";

/** A JSON Schema without references, as far as cases use it. */
export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

/** The fields of one place of a request. */
export interface Fields {
  properties: Record<string, Schema>;
  required: readonly string[];
}

/** One operation of the OpenAPI document. */
export interface Operation {
  route: RouteName;
  method: string;
  /** The `operationId` in the document, for example `dismissObservation`. */
  name: string;
  summary: string;
  /** The segments of the path, variables in braces. */
  segments: readonly string[];
  /** The variables of the path, in order. */
  variables: readonly string[];
  query: Fields;
  /** The fields of the JSON body; undefined where there is none. */
  body: (Fields & { schema: Schema; needed: boolean }) | undefined;
  /** Whether a web session calls it instead of a key. */
  bySession: boolean;
}

/** Returns every operation of the document. */
export function listOperations(): Operation[] {
  return Object.keys(routes).map((route) => createOperation(route as RouteName));
}

/** Returns the operation of a route. */
export function createOperation(route: RouteName): Operation {
  const { method, segments, operation } = routes[route];
  const parameters = listParameters(route);
  // another server may not know assumed parameters (LIST-DEFAULTS)
  const query = parameters.filter((parameter) => parameter.in === "query" && !parameter.isAssumed);
  return {
    route,
    method,
    name: operation.operationId ?? route,
    summary: operation.summary ?? route,
    segments,
    variables: segments.flatMap((part) => (part.startsWith("{") ? [part.slice(1, -1)] : [])),
    query: {
      properties: Object.fromEntries(query.map(({ name, schema }) => [name, followSchema(schema)])),
      required: query.filter(({ required }) => required).map(({ name }) => name),
    },
    body: readBody(route),
    bySession: operation["x-session"] !== undefined,
  };
}

function readBody(route: RouteName): Operation["body"] {
  const body = routes[route].operation.requestBody;
  if (!body || !("content" in body)) return undefined;
  const schema = followSchema(body.content["application/json"]?.schema ?? {});
  const { properties = {}, required = [] } = schema;
  return { schema, properties, required, needed: body.required === true };
}

function followSchema(schema: object): Schema {
  return inlineReferences(schema, { "": contract.openapi }) as Schema;
}
