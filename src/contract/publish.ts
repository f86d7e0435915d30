import { addExamples } from "./examples.js";
import { contract } from "./load.js";
import { routes } from "./routes.js";

type Json = Record<string, unknown>;
type Operations = Record<string, Json>;

/** The parts of an OpenAPI document that this file uses. */
interface Document {
  info: Json;
  servers: Json[];
  paths: Record<string, Operations>;
  components: { schemas: Record<string, Json> };
}

/** The addresses of the service that a document describes. */
interface Addresses {
  api_url: string;
  app_url: string;
}

/** The published names of the three repository segments. DOCS-PATH-POSITION: only their positions matter. */
const publishedNames = new Map([
  ["owner", "org"],
  ["repo", "repository"],
  ["branch", "ref_name"],
]);

/** The extensions that are published. Every other `x-…` keyword is for this toolkit only. */
const publishedExtensions: readonly string[] = ["x-not-shown", "x-rate-limit"];

const description =
  "The REST API of the service. `x-not-shown` marks a shape that the contract leaves open; `x-rate-limit` gives the requests " +
  "a minute of an operation that has its own bucket. Answers may carry fields beyond those listed.";

let document: Document | null = null;
let strict: object | null = null;

/**
 * Returns the OpenAPI document as the service publishes it, on the docs site and (gated) on the API host. Uses plain schemas that
 * code generators accept. DOCS-OPENAPI-SERVED, DOCS-GATE-PLAN. Built once; callers must not modify it.
 */
export function publishOpenApi(): object {
  document ??= withoutOurExtensions(mapObjects(withoutUnpublished(publish()), usePublished)) as Document;
  return document;
}

/** Returns the published document with the additional rules of `x-rule`, to validate answers. */
export function createStrictOpenApi(): object {
  strict ??= withoutOurExtensions(mapObjects(publish(), foldRule)) as object;
  return strict;
}

/** Returns the published document for a service at these addresses. KEY-CREATE-ADMIN: people sign in on the app host. */
export function openApiFor({ api_url, app_url }: Addresses): object {
  const document = publishOpenApi() as Document;
  const items = Object.entries(document.paths).map(([path, item]) => [
    path,
    "servers" in item ? { ...item, servers: createServers(app_url) } : item,
  ]);
  return { ...document, servers: createServers(api_url), paths: Object.fromEntries(items) };
}

function createServers(url: string): Json[] {
  return [{ url, description: "This mock" }];
}

function publish(): Document {
  const document = structuredClone(contract.openapi) as unknown as Document;
  document.info.description = description;
  addRateLimits(document.paths);
  const namedDocument = renameSegments(addExamples(document)) as Document;
  return mapObjects({ ...namedDocument, paths: renamePaths(hoistParameters(namedDocument.paths)) }, addMinLength) as Document;
}

/** Adds `x-rate-limit` to operations with a path bucket. DOCS-RATE-EXTENSION, DOCS-RATE-VALUES, DOCS-RATE-NONE. */
function addRateLimits(paths: Record<string, Operations>): void {
  for (const { name, method, bucket } of Object.values(routes)) {
    const operation = paths[name.slice(method.length + 1)]?.[method.toLowerCase()];
    if (operation && bucket !== null) operation["x-rate-limit"] = { rpm: contract.limits.buckets[bucket].rpm };
  }
}

/** Renames path parameters to their published names, also in links. A query or body field `repo` keeps its name. */
function renameSegments(node: unknown): unknown {
  return mapObjects(node, (object) => {
    const name = publishedNames.get(String(object.name));
    if (object.in === "path" && name) return { ...object, name };
    const { parameters } = object;
    if (!("operationId" in object) || typeof parameters !== "object" || Array.isArray(parameters)) return object;
    const renamed = Object.entries(parameters as Json).map(([key, value]) => [publishedNames.get(key) ?? key, value]);
    return { ...object, parameters: Object.fromEntries(renamed) };
  });
}

/** Moves the parameters of a path into its operations, because some generators read them only there. */
function hoistParameters(paths: Record<string, Operations>): Record<string, Operations> {
  const items = Object.entries(paths).map(([path, { parameters: shared, ...item }]) => {
    const hoist = ([name, operation]: [string, Json]) =>
      "responses" in operation
        ? [name, { ...operation, parameters: [shared, operation.parameters ?? []].flat() }]
        : [name, operation];
    return [path, shared ? Object.fromEntries(Object.entries(item).map(hoist)) : item];
  });
  return Object.fromEntries(items);
}

function renamePaths(paths: Record<string, Operations>): Record<string, Operations> {
  const rename = (path: string) => path.replaceAll(/(?<=\{)\w+(?=\})/g, (name) => publishedNames.get(name) ?? name);
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [rename(path), item]));
}

/** Replaces a schema by its `x-published` form, for schemas that code generators handle wrongly. */
function usePublished(object: Json): Json {
  return "x-published" in object ? (object["x-published"] as Json) : object;
}

/** Adds `minLength: 1` where the service refuses an empty value. */
function addMinLength(object: Json): Json {
  return "x-refused-empty" in object ? { ...object, minLength: 1 } : object;
}

/** Moves `x-rule` into `allOf`, for validators that do not know it. Some validators ignore keywords beside a reference. */
function foldRule({ "x-rule": rule, $ref, ...object }: Json): Json {
  const reference = $ref === undefined ? {} : { $ref };
  if (rule === undefined) return { ...reference, ...object };
  return { ...object, allOf: $ref === undefined ? [rule] : [reference, rule] };
}

function withoutUnpublished(document: Document): Document {
  const schemas = Object.entries(document.components.schemas).filter(([, schema]) => !("x-unpublished" in schema));
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
}

function withoutOurExtensions(node: unknown): unknown {
  return mapObjects(node, (object) =>
    Object.fromEntries(Object.entries(object).filter(([key]) => !key.startsWith("x-") || publishedExtensions.includes(key))),
  );
}

/** Returns the JSON with every object replaced, outermost first. */
function mapObjects(node: unknown, replace: (object: Json) => Json): unknown {
  if (Array.isArray(node)) return node.map((item) => mapObjects(item, replace));
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(Object.entries(replace(node as Json)).map(([key, value]) => [key, mapObjects(value, replace)]));
}
