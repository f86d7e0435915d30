import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../contract/load.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { readPath } from "../http/response.js";

/** A file of the console in the package. */
export interface ConsoleFile {
  name: string;
  type: "text/html" | "text/css" | "text/javascript";
}

const page: ConsoleFile = { name: "console.html", type: "text/html" };

const parts: Record<string, ConsoleFile> = {
  "/__mock/console.js": { name: "console.js", type: "text/javascript" },
  "/__mock/console.css": { name: "console.css", type: "text/css" },
};

/** The page loads only its two files, connects only to its own address, and cannot be framed. Text never becomes markup. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Returns the file of the console for a request, or null. A browser that opens the control plane gets the page. */
export function findConsoleFile(request: IncomingMessage): ConsoleFile | null {
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  const path = readPath(request);
  if (Object.hasOwn(parts, path)) return parts[path] ?? null;
  const isRoot = path === "/__mock" || path === "/__mock/";
  return isRoot && request.headers.accept?.includes("text/html") ? page : null;
}

const contents = new Map<string, Buffer>();

/** Sends a file of the console, or 304 if the browser has it. The file contains no data of a world. */
export function sendConsole(request: IncomingMessage, response: ServerResponse, { name, type }: ConsoleFile): void {
  const content = contents.get(name) ?? readFileSync(join(packageRoot, "dist/bundled", name));
  contents.set(name, content);
  const etag = `"${createHash("sha1").update(content).digest("base64url")}"`;
  const head = ["etag", etag, "cache-control", "no-cache", "vary", "accept", "x-content-type-options", "nosniff"];
  if (request.headers["if-none-match"]?.includes(etag)) {
    response.writeHead(304, head).end();
    return;
  }
  if (type === "text/html") head.push("content-security-policy", policy, "referrer-policy", "no-referrer");
  const length = String(content.length);
  response.writeHead(200, [...head, "content-type", `${type}; charset=utf-8`, "content-length", length]).end(content);
}
