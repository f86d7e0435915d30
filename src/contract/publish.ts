import { withExamples } from "./examples.js";
import { contract } from "./load.js";
import { routes } from "./routes.js";

type Json = Record<string, unknown>;
type Operations = Record<string, Json>;

/** A document as it is published, as far as this file knows it. */
interface Document {
  info: Json;
  servers: Json[];
  paths: Record<string, Operations>;
  components: { schemas: Record<string, Json> };
}

/** Where the service that a document speaks of is reached. */
interface Places {
  api_url: string;
  app_url: string;
}

/** How the published document calls the three segments of a repository path. DOCS-PATH-POSITION: only their positions matter. */
const publishedNames = new Map([
  ["owner", "org"],
  ["repo", "repository"],
  ["branch", "ref_name"],
]);

/** The marks that mean something to readers of the published document; every other `x-…` is ours. */
const kept: readonly string[] = ["x-not-shown", "x-rate-limit"];

const description =
  "The REST API of the service. `x-not-shown` marks a shape that the interface text leaves open; `x-rate-limit` gives the requests " +
  "a minute of an operation that has a bucket of its own. Answers may carry fields beyond those listed.";

let published: Document | null = null;
let strict: object | null = null;

/**
 * The OpenAPI document as the service publishes it, on the docs site and, gated, on the API host: one plain shape for each thing, as
 * generators take it. DOCS-OPENAPI-SERVED, DOCS-GATE-PLAN. Made once; do not write to it.
 */
export function publishedOpenApi(): object {
  published ??= withoutOurMarks(mapObjects(withoutOurSchemas(publish()), instead)) as Document;
  return published;
}

/** The published document with what its plain shapes cannot say (`x-rule`), for those who judge answers by it. */
export function strictOpenApi(): object {
  strict ??= withoutOurMarks(mapObjects(publish(), foldRule)) as object;
  return strict;
}

/** The published document of a service that is reached at these places. KEY-CREATE-ADMIN: the app host is where people sign in. */
export function openApiAt({ api_url, app_url }: Places): object {
  const document = publishedOpenApi() as Document;
  const items = Object.entries(document.paths).map(([path, item]) => [
    path,
    "servers" in item ? { ...item, servers: at(app_url) } : item,
  ]);
  return { ...document, servers: at(api_url), paths: Object.fromEntries(items) };
}

function at(url: string): Json[] {
  return [{ url, description: "This mock" }];
}

function publish(): Document {
  const document = structuredClone(contract.openapi) as unknown as Document;
  document.info.description = description;
  rateOperations(document.paths);
  const named = renameSegments(withExamples(document)) as Document;
  return mapObjects({ ...named, paths: renamePaths(named.paths) }, refuseEmpty) as Document;
}

/** DOCS-RATE-EXTENSION, DOCS-RATE-VALUES, DOCS-RATE-NONE: operations with a bucket of their own, and no others. */
function rateOperations(paths: Record<string, Operations>): void {
  for (const { name, method, bucket } of Object.values(routes)) {
    const operation = paths[name.slice(method.length + 1)]?.[method.toLowerCase()];
    if (operation && bucket !== null) operation["x-rate-limit"] = { rpm: contract.limits.buckets[bucket].rpm };
  }
}

/** Path parameters under their published names; a query or body field called `repo` keeps its own. */
function renameSegments(node: unknown): unknown {
  return mapObjects(node, (object) => {
    const name = publishedNames.get(String(object.name));
    return object.in === "path" && name ? { ...object, name } : object;
  });
}

function renamePaths(paths: Record<string, Operations>): Record<string, Operations> {
  const rename = (path: string) => path.replaceAll(/(?<=\{)\w+(?=\})/g, (name) => publishedNames.get(name) ?? name);
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [rename(path), item]));
}

/** Where generators get wrong what answers of all conforming servers have in common, the form in which this one gives it. */
function instead(object: Json): Json {
  return "x-published" in object ? (object["x-published"] as Json) : object;
}

/** What is refused by meaning when it is empty looks to callers like what is refused by its schema. */
function refuseEmpty(object: Json): Json {
  return "x-refused-empty" in object ? { ...object, minLength: 1 } : object;
}

/** A rule as validators know it that do not know ours; not all of them look at what stands beside a reference. */
function foldRule({ "x-rule": rule, $ref, ...object }: Json): Json {
  const reference = $ref === undefined ? {} : { $ref };
  if (rule === undefined) return { ...reference, ...object };
  return { ...object, allOf: $ref === undefined ? [rule] : [reference, rule] };
}

function withoutOurSchemas(document: Document): Document {
  const schemas = Object.entries(document.components.schemas).filter(([, schema]) => !("x-unpublished" in schema));
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(schemas) } };
}

function withoutOurMarks(node: unknown): unknown {
  return mapObjects(node, (object) =>
    Object.fromEntries(Object.entries(object).filter(([key]) => !key.startsWith("x-") || kept.includes(key))),
  );
}

/** The same JSON with every object in it, innermost last, replaced. */
function mapObjects(node: unknown, replace: (object: Json) => Json): unknown {
  if (Array.isArray(node)) return node.map((item) => mapObjects(item, replace));
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(Object.entries(replace(node as Json)).map(([key, value]) => [key, mapObjects(value, replace)]));
}
