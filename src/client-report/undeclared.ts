import { contract } from "../contract/load.js";
import { inlineReferences } from "../contract/references.js";
import { listParameters, routes } from "../contract/routes.js";
import type { RouteName } from "../contract/types.js";
import { type Call, readFields } from "./exchange.js";

/** The names that a route reads. */
interface Names {
  query: ReadonlySet<string>;
  /** Null where the route reads or refuses every field; empty where it reads no body. */
  body: ReadonlySet<string> | null;
  idempotencyKey: boolean;
}

/** The names in a request to a route of REST. */
interface Request {
  route: string | null;
  url: string;
  body: unknown;
  sendsIdempotencyKey: boolean;
}

const namesByRoute = new Map<string, Names>();

/** Describes the names that a call sends and its operation does not declare. */
export function findUndeclaredParts({ surface, route, exchange: { url, body, headers } }: Call): string[] {
  if (surface === "mcp") return [];
  return findUndeclaredNames({ route, url, body, sendsIdempotencyKey: headers["idempotency-key"] !== undefined });
}

/** Returns the names in a call that the service ignores: undeclared query parameters and fields, a body or an Idempotency-Key of a route without one. */
export function findUndeclaredNames({ route, url, body, sendsIdempotencyKey }: Request): string[] {
  if (route === null || !Object.hasOwn(routes, route)) return [];
  const reads = listDeclaredNames(route as RouteName);
  const mark = url.indexOf("?");
  const parts: string[] = [];
  if (mark >= 0)
    for (const name of new URLSearchParams(url.slice(mark + 1)).keys()) if (!reads.query.has(name)) parts.push(`query.${name}`);
  if (reads.body !== null && body !== null && typeof body === "object") {
    if (reads.body.size === 0) parts.push("body");
    else for (const name of Object.keys(readFields(body))) if (!reads.body.has(name)) parts.push(`body.${name}`);
  }
  if (!reads.idempotencyKey && sendsIdempotencyKey) parts.push("headers.idempotency-key");
  return parts;
}

/** Tells whether an operation reads an Idempotency-Key. */
export function takesIdempotencyKey(route: RouteName): boolean {
  return listDeclaredNames(route).idempotencyKey;
}

function listDeclaredNames(route: RouteName): Names {
  let names = namesByRoute.get(route);
  if (!names) {
    const parameters = listParameters(route);
    const findNamesIn = (place: string) => parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
    names = {
      query: new Set(findNamesIn("query")),
      body: listBodyFields(route),
      idempotencyKey: findNamesIn("header").some((name) => name.toLowerCase() === "idempotency-key"),
    };
    namesByRoute.set(route, names);
  }
  return names;
}

function listBodyFields(route: RouteName): Names["body"] {
  const { requestBody } = routes[route].operation;
  if (!requestBody) return new Set();
  const schema = "content" in requestBody ? requestBody.content["application/json"]?.schema : undefined;
  if (!schema) return null;
  const { properties } = inlineReferences(schema, { "": contract.openapi }) as { properties?: object };
  return properties ? new Set(Object.keys(properties)) : null;
}
