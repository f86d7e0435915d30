import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../contract/load.js";
import { openApiVersions, toOpenApi30 } from "../../contract/openapi-3.0.js";
import { openApiFor } from "../../contract/publish.js";
import { refuse } from "../../service/call.js";
import { buildFailureResponse, sendRefusal } from "../call/outside-requests.js";
import type { MockContext } from "../context.js";
import { buildControlDocument } from "../control/document.js";
import { endpoints } from "../control/endpoints.js";
import { buildCorsHeaders, respondToPreflight } from "../http/cors.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { readAddresses } from "../http/public-addresses.js";
import { readPath, readTarget, sendResponse } from "../http/response.js";
import { recordOutside } from "../journal/outside.js";
import { behaviour } from "./behaviour.js";
import { buildClausesPage } from "./clauses-page.js";
import { buildExplorerDocument } from "./explorer-document.js";
import { buildGuidePage, buildGuidesPage, buildLlmsText, readGuideMarkdown } from "./guide-pages.js";
import { buildControlPage, buildMissingPage, buildStartPage } from "./page.js";
import { styles } from "./styles.js";

/** A resource of the docs host. */
interface Page {
  type: "text/html" | "text/css" | "text/plain" | "text/markdown" | "text/javascript" | "application/json";
  /** `version`: the version of OpenAPI in the query. */
  make(context: MockContext, version: string | null): string | Buffer;
}

/** All resources. The package contains the script of the explorer, so the page loads nothing from other hosts. */
const pages: Record<string, Page> = {
  // DOCS-EXPLORER-OPERATIONS
  "/": { type: "text/html", make: buildStartPage },
  // DOCS-OPENAPI-SERVED
  "/openapi.json": {
    type: "application/json",
    make({ addresses }, version) {
      const document = openApiFor(addresses);
      return JSON.stringify(version === "3.0" ? toOpenApi30(document) : document);
    },
  },
  "/explorer.json": {
    type: "application/json",
    make: (context) => JSON.stringify(buildExplorerDocument(context, openApiFor(context.addresses))),
  },
  "/control": { type: "text/html", make: buildControlPage },
  "/control.json": { type: "application/json", make: (context) => JSON.stringify(buildControlDocument(context, endpoints)) },
  "/guides": { type: "text/html", make: buildGuidesPage },
  "/llms.txt": { type: "text/plain", make: buildLlmsText },
  "/clauses": { type: "text/html", make: buildClausesPage },
  "/explorer.js": { type: "text/javascript", make: () => readExplorer() },
  "/page.js": { type: "text/javascript", make: () => behaviour },
  "/page.css": { type: "text/css", make: () => styles },
};

const readOnly = refuse("method_not_allowed", {
  message: "This page accepts only GET and HEAD.",
  headers: { allow: "GET, HEAD" },
});

const unknownVersion = `version: no such version of OpenAPI. Use ${openApiVersions.join(" or ")}.`;

let explorer: Buffer | null = null;

/** Answers one request to the docs host: the page, the published document, and their files. */
export function serveDocs(context: MockContext, request: IncomingMessage, response: ServerResponse): void {
  if (respondToPreflight(request, response)) return;
  const path = readPath(request);
  const page = findPage(path);
  const version = new URLSearchParams(readTarget(request).slice(path.length)).get("version");
  if (!page) refuseMissing(context, request, response);
  else if (path === "/openapi.json" && version !== null && !openApiVersions.includes(version))
    sendRefusal(request, response, context.worlds.default, refuse("bad_request", { message: unknownVersion }));
  else if (request.method === "GET" || request.method === "HEAD")
    makeAndSend({ ...context, addresses: readAddresses(context, request) }, request, response, page, version);
  else sendRefusal(request, response, context.worlds.default, readOnly);
}

function findPage(path: string): Page | undefined {
  if (Object.hasOwn(pages, path)) return pages[path];
  const [, topic, extension] = /^\/guides\/([^/.]+)(\.md)?$/.exec(path) ?? [];
  if (topic === undefined) return undefined;
  if (topic === "reference-clauses" && !extension) return pages["/clauses"];
  const text = extension ? readGuideMarkdown(topic) : buildGuidePage(topic);
  return text === undefined ? undefined : { type: extension ? "text/markdown" : "text/html", make: () => text };
}

/** A failure of the mock becomes a response, and the mock continues. */
function makeAndSend(
  context: MockContext,
  request: IncomingMessage,
  response: ServerResponse,
  { type, make }: Page,
  version: string | null,
): void {
  try {
    send(context, request, response, type, make(context, version));
  } catch (error) {
    const { world } = context.worlds.default;
    const serviceResponse = buildFailureResponse(world, request, error);
    const text = sendResponse(request, response, serviceResponse, world.now);
    recordOutside(context.worlds.default, request, { ...serviceResponse, text });
  }
}

/** Sends a page, or 304 if the browser has it. */
function send(
  context: MockContext,
  request: IncomingMessage,
  response: ServerResponse,
  type: Page["type"],
  body: string | Buffer,
): void {
  const etag = `"${createHash("sha1").update(body).digest("base64url")}"`;
  const head = ["etag", etag, "cache-control", "no-cache", "x-content-type-options", "nosniff", ...buildCorsHeaders(request)];
  if (request.headers["if-none-match"]?.includes(etag)) {
    response.writeHead(304, head).end();
    return;
  }
  if (type === "text/html") head.push("content-security-policy", buildPolicy(context));
  const length = String(Buffer.byteLength(body));
  response.writeHead(200, [...head, "content-type", `${type}; charset=utf-8`, "content-length", length]).end(body);
}

/** Refuses an unknown page, as JSON for programs and as HTML for browsers. */
function refuseMissing(context: MockContext, request: IncomingMessage, response: ServerResponse): void {
  const message = "There is no such page. The explorer is at /, the guides at /guides, the document at /openapi.json.";
  if (request.headers.accept?.includes("text/html"))
    response.writeHead(404, { "content-type": "text/html; charset=utf-8" }).end(buildMissingPage(message));
  else sendRefusal(request, response, context.worlds.default, refuse("not_found", { message }));
}

/** The page loads nothing from other hosts and connects only to this mock. */
function buildPolicy({ addresses }: MockContext): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self' ${addresses.api_url}`,
  ].join("; ");
}

function readExplorer(): Buffer {
  explorer ??= readFileSync(join(packageRoot, "dist/bundled/explorer.js"));
  return explorer;
}
