import { generateSync, type JsonSchema } from "json-schema-faker";
import { contract } from "../../../../src/contract/load.js";
import { inlineReferences } from "../../../../src/contract/references.js";
import { listParameters, routes } from "../../../../src/contract/routes.js";
import type { RouteName } from "../../../../src/contract/types.js";
import type { RequestParts } from "./service.js";

/** A JSON Schema with its references followed, as far as these tests look into it. */
export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  "x-values"?: string[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

/** Every operation of the contract. */
export const everyRoute = Object.keys(routes) as RouteName[];

/** Routes that read a body, with or without a schema in the contract. */
export const bodyRoutes = everyRoute.filter((route) => routes[route].method !== "GET" && routes[route].method !== "DELETE");

/** Routes that do not read the body. */
export const bodilessRoutes = everyRoute.filter((route) => !bodyRoutes.includes(route));

/** Routes with a body schema. */
export const shapedRoutes = bodyRoutes.filter((route) => getBodySchema(route));

/**
 * The value of each path variable in the world. Some operations need a row in a certain state. `job:<status>` stands for the id of a job with
 * that status.
 */
const pathValues: Record<string, string> = {
  owner: "acme",
  repo: "web",
  branch: "main",
  job_id: "job:completed",
  ref: "SERVICE-1",
  key_id: "key_full",
};
const ownPathValues: Partial<Record<RouteName, Record<string, string>>> = {
  "POST /api/jobs/{job_id}/cancel": { job_id: "job:pending" },
  "POST /api/jobs/{job_id}/retry": { job_id: "job:failed" },
  "POST /api/observations/{ref}/reopen": { ref: "SERVICE-3" },
};

/** Parts of a valid request that the schemas cannot state. */
const queryValues: Partial<Record<RouteName, string>> = { "GET /api/forecasts/lookup": "workflow=audit" };
const intendedBodies: Partial<Record<RouteName, (body: Record<string, unknown>, seed: number) => object>> = {
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": (_, seed) => ({
    workflow: "audit",
    params: fake(contract.workflows.audit.params, seed),
  }),
  "POST /api/keys": (body) => ({ ...body, expires_at: "2030-01-01T00:00:00Z", allowed_cidrs: ["203.0.113.0/24", "2001:db8::1"] }),
  "PATCH /api/keys/{key_id}": ({ scopes = [] }, seed) => ({ scopes, requests_per_minute: seed, dollars_per_hour: seed / 4 }),
};

/** A request that the mock's first world accepts; by the seed in its body, where it has one. */
export function validRequest(route: RouteName, seed = 1): RequestParts {
  const body = validBody(route, seed);
  return {
    ...getCredentials(route),
    method: routes[route].method,
    path: getPath(route),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

/** The same request with another body. */
export function withBody(route: RouteName, body: unknown): RequestParts {
  return { ...validRequest(route), body: typeof body === "string" ? body : JSON.stringify(body) };
}

/** A body of the operation's schema and meaning; undefined where it takes none. */
export function validBody(route: RouteName, seed = 1): Record<string, unknown> | undefined {
  const schema = getBodySchema(route);
  if (!schema) return undefined;
  const body = fake(schema, seed) as Record<string, unknown>;
  return (intendedBodies[route]?.(body, seed) as Record<string, unknown>) ?? body;
}

/** Returns the schema of an operation's body; null without a body. */
export function getBodySchema(route: RouteName): Schema | null {
  const body = routes[route].operation.requestBody;
  const schema = body && "content" in body ? body.content["application/json"]?.schema : undefined;
  return schema ? followReference(schema) : null;
}

/** Whether an operation refuses a request without a body. */
export function needsBody(route: RouteName): boolean {
  const body = routes[route].operation.requestBody;
  return body !== undefined && "required" in body && body.required === true;
}

/** An operation's parameters of one place, by name. */
export function parametersIn(route: RouteName, place: "path" | "query"): Record<string, Schema> {
  const parameters = listParameters(route).filter((parameter) => parameter.in === place);
  return Object.fromEntries(parameters.map(({ name, schema }) => [name, followReference(schema)]));
}

/** The path and query of a valid request, with some of its variables as given: still encoded. */
export function getPath(route: RouteName, variables: Record<string, string> = {}, query = queryValues[route]): string {
  const values = { ...pathValues, ...ownPathValues[route], ...variables };
  const path = routes[route].segments.map((part) => (part.startsWith("{") ? values[part.slice(1, -1)] : part));
  return `/${path.join("/")}${query ? `?${query}` : ""}`;
}

/** The query of a valid request with more behind it. */
export function withQuery(route: RouteName, more: string): RequestParts {
  const { [route]: query } = queryValues;
  return { ...validRequest(route), path: getPath(route, {}, query ? `${query}&${more}` : more) };
}

/** Keys are managed by a person on the app host, the document is shown to the entitled; everything else is open to a full key. */
function getCredentials(route: RouteName): Pick<RequestParts, "host" | "headers"> {
  const json = bodyRoutes.includes(route) ? { "content-type": "application/json" } : {};
  if (routes[route].operation["x-session"]) return { host: "app", headers: { ...json, cookie: "session=admin" } };
  const key = route === "GET /api/openapi.json" ? "mock_staff" : "mock_full";
  return { host: "api", headers: { ...json, authorization: `Bearer ${key}` } };
}

function fake(schema: object, seed: number): unknown {
  return generateSync(schema as JsonSchema, { seed, optionalsProbability: 0.7, maxDefaultItems: 3 });
}

function followReference(schema: object): Schema {
  return inlineReferences(schema, { "": contract.openapi }) as Schema;
}
