import { contract } from "../../contract/load.js";
import { inline } from "../../contract/references.js";
import { parametersOf, routes } from "../../contract/routes.js";
import type { RouteName } from "../../contract/types.js";

/** A JSON Schema with its references followed, as far as cases are drawn from it. */
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

/** One operation of the OpenAPI document, as cases are drawn from it. */
export interface Operation {
  route: RouteName;
  method: string;
  /** The operation's name in the document, `dismissObservation`. */
  name: string;
  summary: string;
  /** The segments of its path, variables in braces. */
  segments: readonly string[];
  /** The variables of its path, in their order. */
  variables: readonly string[];
  query: Fields;
  /** The fields of its JSON body; undefined where it takes none. */
  body: (Fields & { schema: Schema; needed: boolean }) | undefined;
  /** Whether a signed-in person calls it, not a key. */
  bySession: boolean;
}

/** Every operation of the document. */
export function operations(): Operation[] {
  return Object.keys(routes).map((route) => operationOf(route as RouteName));
}

/** One operation by its route. */
export function operationOf(route: RouteName): Operation {
  const { method, segments, operation } = routes[route];
  const parameters = parametersOf(route);
  // what is assumed another server may not know, and refuse (LIST-DEFAULTS)
  const query = parameters.filter((parameter) => parameter.in === "query" && !parameter.isAssumed);
  return {
    route,
    method,
    name: operation.operationId ?? route,
    summary: operation.summary ?? route,
    segments,
    variables: segments.flatMap((part) => (part.startsWith("{") ? [part.slice(1, -1)] : [])),
    query: {
      properties: Object.fromEntries(query.map(({ name, schema }) => [name, followed(schema)])),
      required: query.filter(({ required }) => required).map(({ name }) => name),
    },
    body: bodyOf(route),
    bySession: operation["x-session"] !== undefined,
  };
}

function bodyOf(route: RouteName): Operation["body"] {
  const body = routes[route].operation.requestBody;
  if (!body || !("content" in body)) return undefined;
  const schema = followed(body.content["application/json"]?.schema ?? {});
  const { properties = {}, required = [] } = schema;
  return { schema, properties, required, needed: body.required === true };
}

function followed(schema: object): Schema {
  return inline(schema, { "": contract.openapi }) as Schema;
}
