import { findClosestName } from "../../common/nearest-names.js";
import { isPlainObject } from "../../common/plain-object.js";
import type { Problem } from "../../common/problem.js";
import { errorCodes } from "../../contract/error-catalogue.js";
import { contract } from "../../contract/load.js";
import { listParameters, resolveRoute, routes } from "../../contract/routes.js";
import type { RouteName } from "../../contract/types.js";
import type { Match, MatchableEntry, MatchValues } from "./matching.js";

/** The part of a JSON Schema that names fields and lists values. */
interface Schema {
  $ref?: string;
  type?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  /** Texts that the document does not restrict. */
  "x-values"?: unknown[];
}

/** A place in a match: the names on the way to it. */
type Path = readonly string[];

/** A value or name that no call can have, with the valid ones. */
interface UnlistedPart {
  path: Path;
  value: unknown;
  isName: boolean;
  valid: readonly string[];
}

/** The schema of any value. */
const anything: Schema = {};

/**
 * Returns the first name or value in the query, body or answer of a match that the OpenAPI document does not have there. Returns null if
 * the document has all. A match without a route may mean any route with its method and path. A name or value in the journal is known.
 */
export function findMatchValueProblem(match: Match, entries: readonly MatchableEntry[], at: string): Problem | null {
  const routeNames = listPossibleRoutes(match);
  if (!routeNames) return null;
  for (const field of ["query", "body", "answer"] as const) {
    const wanted: unknown = match[field];
    if (!isPlainObject(wanted)) continue;
    const unlistedPart = findUnlistedPart(wanted, schemasOf[field](routeNames, match), [field]);
    if (unlistedPart && !entries.some(({ seen }) => holds(seen(), unlistedPart))) return describeProblem(unlistedPart, at);
  }
  return null;
}

/** Returns the routes that a match can mean; null if it can mean a tool or an unknown path. */
function listPossibleRoutes({ route, method, path, unmatched }: Match): RouteName[] | null {
  if (route !== undefined) return isRoute(route) ? [route] : null;
  if (unmatched === true) return null;
  const all = Object.keys(routes) as RouteName[];
  const fitting = all.filter((name) => {
    const ownMethod = routes[name].method;
    if (method !== undefined && method !== ownMethod && !(method === "HEAD" && ownMethod === "GET")) return false;
    if (path === undefined) return true;
    const resolution = resolveRoute(ownMethod, path);
    return resolution.found === "route" && resolution.route.name === name;
  });
  return fitting.length > 0 ? fitting : null;
}

function isRoute(name: string): name is RouteName {
  return Object.hasOwn(routes, name);
}

/** Returns the schemas of a field of a match, one for each route that has the field. Tool calls have JSON-RPC bodies and answers. */
const schemasOf: Record<"query" | "body" | "answer", (routeNames: RouteName[], match: Match) => Schema[]> = {
  query: (routeNames) =>
    routeNames.map((route) => {
      const parameters = listParameters(route).filter((parameter) => parameter.in === "query");
      return { properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, isQueryParameter(schema)])) };
    }),
  body: (routeNames, match) => [
    ...routeNames.map((route) => findContent(routes[route].operation.requestBody) ?? { properties: {} }),
    ...listMessages(match, { jsonrpc: {}, id: {}, method: {}, params: {} }),
  ],
  answer: (routeNames, match) => [
    ...routeNames.flatMap((route) =>
      Object.entries(routes[route].operation.responses ?? {}).flatMap(([status, response]) =>
        match.status === undefined || status === String(match.status) ? (findContent(response) ?? []) : [],
      ),
    ),
    ...listMessages(match, { jsonrpc: {}, id: {}, result: {}, error: { properties: { code: {}, message: {}, data: {} } } }),
  ],
};

function listMessages({ route, method = "POST", path = "/mcp/" }: Match, properties: Record<string, Schema>): Schema[] {
  const isPossible = route === undefined && method === "POST" && (path === "/mcp/" || path === "/mcp");
  return isPossible ? [{ properties }] : [];
}

/** Returns the JSON schema of a request body or a response. */
function findContent(part: unknown): Schema | undefined {
  const { content } = resolveSchema(part ?? {}) as { content?: Record<string, { schema?: Schema }> };
  return content?.["application/json"]?.schema;
}

/** Returns the schema of a parameter as a query contains its values. */
function isQueryParameter(schema: Schema): Schema {
  const { type, enum: values } = resolveSchema(schema) as Schema;
  if (type === "boolean") return { enum: ["true", "false"] };
  return values ? { enum: values } : anything;
}

function resolveSchema(part: object): object {
  const reference = (part as Schema).$ref;
  if (reference === undefined) return part;
  const steps = reference.replace(/^#\//, "").split("/");
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], contract.openapi) as object;
}

/** Returns the first name or value in a match that no schema allows; null if all are allowed. A schema without a list allows any value. */
function findUnlistedPart(wanted: unknown, schemas: Schema[], path: Path): UnlistedPart | null {
  const openSchemas: Schema[] = schemas.map(resolveSchema);
  if (Array.isArray(wanted)) {
    const items = openSchemas.flatMap(({ items: inner }) => inner ?? []);
    return items.length === 0 ? null : findFirst(wanted, (one, i) => findUnlistedPart(one, items, [...path, String(i)]));
  }
  return isPlainObject(wanted)
    ? findUnlistedName(wanted as Record<string, unknown>, openSchemas, path)
    : findUnlistedValue(wanted, openSchemas, path);
}

function findUnlistedName(wanted: Record<string, unknown>, schemas: Schema[], path: Path): UnlistedPart | null {
  const objects = schemas.flatMap(({ properties }) => (properties ? [properties] : []));
  const isFree = objects.length === 0 || schemas.some(isOpen);
  const byName = new Map<string, Schema[]>();
  for (const [name, schema] of objects.flatMap((properties) => Object.entries(properties)))
    byName.set(name, [...(byName.get(name) ?? []), schema ?? anything]);
  return findFirst(Object.entries(wanted), ([name, inner]) => {
    const schemasThere = byName.get(name);
    if (!schemasThere) return isFree ? null : { path: [...path, name], value: name, isName: true, valid: [...byName.keys()] };
    const isPresence = path[0] === "query" && typeof inner === "boolean";
    const isCode = typeof inner === "string" && path[0] === "answer" && path.at(-1) === "error" && name === "code";
    return isPresence ? null : findUnlistedPart(inner, isCode ? [{ enum: [...errorCodes] }] : schemasThere, [...path, name]);
  });
}

/** Returns whether a schema does not restrict its value. */
function isOpen({ type = "object", properties, items, enum: values }: Schema): boolean {
  return type === "object" && !properties && !items && !values;
}

function findUnlistedValue(wanted: unknown, schemas: Schema[], path: Path): UnlistedPart | null {
  const lists = schemas.map((schema) => schema.enum ?? schema["x-values"]);
  if (lists.length === 0 || lists.some((values) => !values || values.includes(wanted))) return null;
  const valid = [...new Set(lists.flatMap((values) => (values ?? []).map(String)))];
  return { path, value: wanted, isName: false, valid };
}

/** Returns whether an entry of the journal has this name or value at this place. */
function holds(seen: MatchValues, { path, value, isName }: UnlistedPart): boolean {
  let [there]: unknown[] = [seen];
  for (const name of path) {
    if (there === null || typeof there !== "object" || !Object.hasOwn(there, name)) return false;
    there = (there as Record<string, unknown>)[name];
  }
  return isName || there === value;
}

function describeProblem({ path, value, isName, valid }: UnlistedPart, at: string): Problem {
  const place = path.join(".");
  const near = findClosestName(String(value), valid);
  const problem = isName
    ? `No call that matches can have '${value}' in ${path.slice(0, -1).join(".")}${near}.`
    : `'${value}' is not a value of ${place}${near}.`;
  return { problem, field: `${at}${place}`, allowed: [...valid] };
}

function findFirst<Item, Found>(items: readonly Item[], find: (item: Item, index: number) => Found | null): Found | null {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== null) return found;
  }
  return null;
}
