import { contract } from "../../../src/contract/load.js";
import { inlineReferences } from "../../../src/contract/references.js";
import { routes } from "../../../src/contract/routes.js";
import type { RouteName } from "../../../src/contract/types.js";

/** The part of a JSON Schema that the tests compare with the suite. */
export interface Schema {
  type?: string;
  enum?: readonly string[];
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, Schema>;
}

/** The schemas of a route's query parameters in the document, by name. */
export function getParameters(route: RouteName): Record<string, Schema> {
  const { parameters = [] } = inlineReferences(routes[route].operation, { "": contract.openapi }) as {
    parameters?: { name: string; in: string; schema: Schema }[];
  };
  return Object.fromEntries(parameters.flatMap(({ name, in: place, schema }) => (place === "query" ? [[name, schema]] : [])));
}

/** The schema of a route's JSON body in the document. */
export function schemaOfBody(route: RouteName): Schema {
  const { requestBody } = inlineReferences(routes[route].operation, { "": contract.openapi }) as {
    requestBody?: { content: { "application/json": { schema: Schema } } };
  };
  return requestBody?.content["application/json"].schema ?? {};
}
