import type { OpenAPIV3_1 } from "openapi-types";
import { contract } from "./load.js";
import type { BucketName, Method, Operation, RouteName } from "./types.js";

/** One operation of the REST API, ready to be matched against a request line. */
export interface Route {
  name: RouteName;
  method: Method;
  /** The template's segments, `{…}` ones bind by position. */
  segments: string[];
  operation: Operation;
  /** The path bucket it draws on, if it has one. */
  bucket: BucketName | null;
}

/** What a request line names: an operation; a path without that method; or nothing. */
export type Resolution =
  | { found: "route"; route: Route; params: Record<string, string> }
  | { found: "path"; allow: Method[] }
  | { found: "nothing" };

const methods: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Every operation of the contract by its name. */
export const routes: Readonly<Record<RouteName, Route>> = readRoutes();

/** The routes by number of segments, so that a request line is compared with few. */
const bySegmentCount = groupBySegmentCount();

/**
 * Finds the operation for a request line. Segments are matched still encoded, so that `%2F` in a branch stays inside its segment,
 * and bound decoded. A segment that is empty or no valid percent-encoding binds nothing.
 */
export function resolveRoute(method: string, path: string): Resolution {
  const segments = path.split("/").slice(1);
  const matching = (bySegmentCount[segments.length] ?? []).filter((route) => matches(route.segments, segments));
  const route = matching.find((candidate) => candidate.method === method);
  if (matching.length === 0) return { found: "nothing" };
  if (!route) return { found: "path", allow: matching.map((candidate) => candidate.method) };
  const params = bind(route.segments, segments);
  return params ? { found: "route", route, params } : { found: "nothing" };
}

function groupBySegmentCount(): Route[][] {
  const all = Object.values(routes);
  const most = Math.max(...all.map(({ segments }) => segments.length));
  return Array.from({ length: most + 1 }, (_, count) => all.filter(({ segments }) => segments.length === count));
}

function matches(template: string[], segments: string[]): boolean {
  return template.every((part, i) => (part.startsWith("{") ? segments[i] !== "" : part === segments[i]));
}

function bind(template: string[], segments: string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [i, part] of template.entries()) {
    if (!part.startsWith("{")) continue;
    const value = decode(segments[i] ?? "");
    if (value === null) return null;
    params[part.slice(1, -1)] = value;
  }
  return params;
}

function decode(segment: string): string | null {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

function readRoutes(): Record<RouteName, Route> {
  const bucketOf = new Map<string, BucketName>();
  for (const [bucket, { routes: names }] of Object.entries(contract.limits.buckets)) {
    for (const name of names) bucketOf.set(name, bucket as BucketName);
  }
  const found: Partial<Record<RouteName, Route>> = {};
  for (const [path, item] of Object.entries(contract.openapi.paths ?? {})) {
    for (const method of methods) {
      const operation = item?.[method.toLowerCase() as OpenAPIV3_1.HttpMethods];
      if (!operation) continue;
      const name = `${method} ${path}` as RouteName;
      found[name] = { name, method, segments: path.split("/").slice(1), operation, bucket: bucketOf.get(name) ?? null };
    }
  }
  return found as Record<RouteName, Route>;
}

/** A parameter of an operation, as the document has it. */
interface Parameter {
  name: string;
  in: string;
  required: boolean;
  /** Whether the text does not show it: it is the mock's own. */
  isAssumed: boolean;
  schema: object;
}

/** The parameters of an operation with references followed. */
export function parametersOf(route: RouteName): Parameter[] {
  const [, path] = route.split(" ") as [string, string];
  const shared = contract.openapi.paths?.[path]?.parameters ?? [];
  return [...shared, ...(routes[route].operation.parameters ?? [])].map((parameter) => {
    const found = "$ref" in parameter ? contract.openapi.components?.parameters?.[parameter.$ref.replace(/.*\//, "")] : parameter;
    if (!found || "$ref" in found) throw new Error(`openapi.json: a parameter of ${route} refers to nothing`);
    const { name, required = false, schema = {} } = found;
    return { name, in: found.in, required, isAssumed: "x-assumed" in found, schema };
  });
}
