import type { OpenAPIV3_1 } from "openapi-types";
import { contract } from "./load.js";
import type { BucketName, Method, Operation, RouteName } from "./types.js";

/** One operation of the REST API, ready to match request lines. */
export interface Route {
  name: RouteName;
  method: Method;
  /** The segments of the path template. `{…}` segments bind by position. */
  segments: string[];
  operation: Operation;
  /** The path bucket of the operation, if it has one. */
  bucket: BucketName | null;
}

/** The result of a request line: an operation, a path without that method, or nothing. */
export type Resolution =
  | { found: "route"; route: Route; params: Record<string, string> }
  | { found: "path"; allow: Method[] }
  | { found: "nothing" };

const methods: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Every operation of the contract, by name. */
export const routes: Readonly<Record<RouteName, Route>> = readRoutes();

/** A path template: its fixed segments and its parameters, each with its index after the first slash. */
interface Template {
  route: Route;
  fixed: [place: number, segment: string][];
  free: [place: number, name: string][];
}

/** The templates by number of segments, so that a request line is compared with few. */
const bySegmentCount = groupBySegmentCount();

/**
 * Finds the operation of a request line. Matches segments before decoding, so that `%2F` in a branch stays inside its segment. An
 * empty or invalid segment matches nothing.
 */
export function resolveRoute(method: string, path: string): Resolution {
  const segments = path.split("/");
  const allowedMethods: Method[] = [];
  for (const template of bySegmentCount[segments.length - 1] ?? []) {
    if (!matches(template, segments)) continue;
    const { route } = template;
    if (route.method === method) {
      const params = bind(template, segments);
      return params ? { found: "route", route, params } : { found: "nothing" };
    }
    allowedMethods.push(route.method);
  }
  return allowedMethods.length > 0 ? { found: "path", allow: allowedMethods } : { found: "nothing" };
}

function groupBySegmentCount(): Template[][] {
  const all = Object.values(routes).map(readTemplate);
  const max = Math.max(...all.map(({ route }) => route.segments.length));
  return Array.from({ length: max + 1 }, (_, count) => all.filter(({ route }) => route.segments.length === count));
}

function readTemplate(route: Route): Template {
  const placed = route.segments.map((segment, i): [number, string] => [i + 1, segment]);
  return {
    route,
    fixed: placed.filter(([, segment]) => !isFree(segment)),
    free: placed.flatMap(([place, segment]) => (isFree(segment) ? [[place, segment.slice(1, -1)]] : [])),
  };
}

function isFree(segment: string): boolean {
  return segment.startsWith("{");
}

function matches({ fixed, free }: Template, segments: string[]): boolean {
  for (const [place, segment] of fixed) if (segments[place] !== segment) return false;
  for (const [place] of free) if (segments[place] === "") return false;
  return true;
}

function bind({ free }: Template, segments: string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [place, name] of free) {
    const value = decode(segments[place] ?? "");
    if (value === null) return null;
    params[name] = value;
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

/** A parameter of an operation in the OpenAPI document. */
interface Parameter {
  name: string;
  in: string;
  required: boolean;
  /** Whether the parameter is our choice and not in the contract. */
  isAssumed: boolean;
  schema: object;
}

/** Returns the parameters of an operation, with references resolved. Throws on a reference to nothing. */
export function listParameters(route: RouteName): Parameter[] {
  const [, path] = route.split(" ") as [string, string];
  const sharedParameters = contract.openapi.paths?.[path]?.parameters ?? [];
  return [...sharedParameters, ...(routes[route].operation.parameters ?? [])].map((parameter) => {
    const found =
      "$ref" in parameter ? contract.openapi.components?.parameters?.[parameter.$ref.replace(/^.*\//, "")] : parameter;
    if (!found || "$ref" in found) throw new Error(`openapi.json: a parameter of ${route} refers to nothing`);
    const { name, required = false, schema = {} } = found;
    return { name, in: found.in, required, isAssumed: "x-assumed" in found, schema };
  });
}
