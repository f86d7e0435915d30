import { contract } from "./load.js";
import { routes } from "./routes.js";

type Json = Record<string, unknown>;
type Operations = Record<string, Json>;

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

let published: object | null = null;

/**
 * The OpenAPI document as the service publishes it, on the docs site and, gated, on the API host. DOCS-OPENAPI-SERVED, DOCS-GATE-PLAN.
 * Made once; do not write to it.
 */
export function publishedOpenApi(): object {
  published ??= publish();
  return published;
}

function publish(): object {
  const document = structuredClone(contract.openapi) as unknown as {
    info: Json;
    paths: Record<string, Operations>;
    components: { responses: { BadRequest: Json } };
  };
  document.info.description = description;
  rateOperations(document.paths);
  refuseOtherMedia(document.paths, document.components.responses.BadRequest);
  const named = renameSegments(document) as typeof document;
  return withoutOurMarks({ ...named, paths: renamePaths(named.paths) }) as object;
}

/** DOCS-RATE-EXTENSION, DOCS-RATE-VALUES, DOCS-RATE-NONE: operations with a bucket of their own, and no others. */
function rateOperations(paths: Record<string, Operations>): void {
  for (const { name, method, bucket } of Object.values(routes)) {
    const operation = paths[name.slice(method.length + 1)]?.[method.toLowerCase()];
    if (operation && bucket !== null) operation["x-rate-limit"] = { rpm: contract.limits.buckets[bucket].rpm };
  }
}

/** ERR-TYPE-FALLBACK-415: an operation with a body refuses one that is no JSON, in the form of a malformed one. */
function refuseOtherMedia(paths: Record<string, Operations>, malformed: Json): void {
  const refusal = { ...malformed, description: "The body is sent as something else than JSON." };
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    if ("requestBody" in operation) operation.responses = { ...(operation.responses as Json), 415: refusal };
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
