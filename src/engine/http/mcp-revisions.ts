import { isRecord } from "../scenario/interpolate.js";
import type { WireRequest } from "./exchange.js";

/** How clients and servers of a revision begin: with a handshake (`session`), or with facts about the client in each request (`stateless`). */
type RevisionKind = "session" | "stateless";

/** The revisions of MCP that the runner supports, newest first. */
const kindOfRevision = {
  "2026-07-28": "stateless",
  "2025-11-25": "session",
  "2025-06-18": "session",
  "2025-03-26": "session",
  "2024-11-05": "session",
} as const satisfies Record<string, RevisionKind>;

/** The revisions of MCP that the runner supports, newest first. */
export const mcpRevisions = Object.keys(kindOfRevision) as readonly McpRevision[];

/** A revision of MCP that the runner supports. */
export type McpRevision = keyof typeof kindOfRevision;

/** The methods that exist in one family only, and that scenarios use. */
const methodsOnlyIn: Record<RevisionKind, readonly string[]> = {
  session: ["initialize", "notifications/initialized", "ping"],
  stateless: ["server/discover"],
};

/** Returns whether requests of a revision need no session. An unknown revision begins with a handshake. */
export function isStateless(revision: McpRevision | undefined): boolean {
  return revision !== undefined && kindOfRevision[revision] === "stateless";
}

/** The revisions of MCP that a run uses. */
export interface ServerRevisions {
  /** The revision of its requests. Undefined: as the handshake decides. */
  mcpRevision?: McpRevision;
  /** A revision with a handshake that the server supports too, if the requests are stateless. Scenarios judge its handshake. */
  mcpHandshake?: McpRevision;
  /** The arguments that stateless requests repeat in headers, as the schemas of the tools demand. */
  mcpHeaders?: readonly ArgumentHeader[];
}

/** An argument of a tool that a header of the call repeats. `path`: the names that lead to it in the arguments. */
export interface ArgumentHeader {
  tool: string;
  path: readonly string[];
  header: string;
}

/** Returns the arguments that calls of a tool repeat in headers: properties of its schema with `x-mcp-header`. */
export function listArgumentHeaders(tool: string, schema: unknown, path: readonly string[] = []): ArgumentHeader[] {
  const properties = isRecord(schema) && isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  return properties.flatMap(([name, property]) => {
    const header = isRecord(property) ? property["x-mcp-header"] : undefined;
    const own =
      typeof header === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(header) ? [{ tool, path: [...path, name], header }] : [];
    return [...own, ...listArgumentHeaders(tool, property, [...path, name])];
  });
}

/** Returns the revision in which a run opens sessions, or `never` if the server has none. */
export function chooseSessionRevision({ mcpRevision, mcpHandshake }: ServerRevisions): McpRevision | "never" | undefined {
  return isStateless(mcpRevision) ? (mcpHandshake ?? "never") : mcpRevision;
}

/** Returns whether a method exists in one of the revisions that a run uses, as far as the runner knows. */
export function hasMethod(revisions: ServerRevisions, method: string): boolean {
  if (methodsOnlyIn.stateless.includes(method)) return isStateless(revisions.mcpRevision);
  return !methodsOnlyIn.session.includes(method) || chooseSessionRevision(revisions) !== "never";
}

const META = "io.modelcontextprotocol/";
/** The parameter that the header `Mcp-Name` repeats, by method. */
const nameParameters: Readonly<Record<string, string>> = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };

/**
 * Adds what a stateless revision demands of a JSON-RPC request: facts about the client in `_meta`, and headers that repeat the revision, the method,
 * the name and some arguments. Headers and fields that the request has already stay. Returns other content, messages of a handshake, and requests of other
 * revisions unchanged.
 */
export function adaptToRevision(request: WireRequest, revisions: ServerRevisions): WireRequest {
  const { mcpRevision: revision, mcpHeaders = [] } = revisions;
  if (revision === undefined || !isStateless(revision)) return request;
  const message = parseRequestMessage(request.body);
  if (!message || methodsOnlyIn.session.includes(message.method)) return request;
  const { method, params } = message;
  const own = isRecord(params._meta) ? params._meta : {};
  const facts = {
    [`${META}protocolVersion`]: revision,
    [`${META}clientInfo`]: { name: "counterpart", version: "1" },
    [`${META}clientCapabilities`]: {},
  };
  const name = Object.hasOwn(nameParameters, method) ? params[nameParameters[method] as string] : undefined;
  const headers = {
    "mcp-protocol-version": revision,
    "mcp-method": encodeHeaderValue(method),
    ...(typeof name === "string" && { "mcp-name": encodeHeaderValue(name) }),
    ...(method === "tools/call" && listHeaders(mcpHeaders, name, params.arguments)),
  };
  return {
    ...request,
    headers: { ...headers, ...request.headers },
    body: new TextEncoder().encode(JSON.stringify({ ...message, params: { ...params, _meta: { ...facts, ...own } } })),
  };
}

/** Returns the headers that repeat arguments of a call. An argument that is absent or not a plain value has no header. */
function listHeaders(all: readonly ArgumentHeader[], name: unknown, given: unknown): Record<string, string> {
  const ownArgumentHeaders = all.filter(({ tool }) => tool === name);
  return Object.fromEntries(
    ownArgumentHeaders.flatMap(({ path, header }) => {
      const value = path.reduce<unknown>((here, key) => (isRecord(here) ? here[key] : undefined), given);
      const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
      return isPlain ? [[`mcp-param-${header.toLowerCase()}`, encodeHeaderValue(String(value))]] : [];
    }),
  );
}

/** Returns the JSON-RPC request in a body. Returns undefined for other content, for notifications and for params that are not an object. */
function parseRequestMessage(body: Uint8Array | undefined): { method: string; params: Record<string, unknown> } | undefined {
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
  if (!isRecord(message) || typeof message.method !== "string" || message.id === undefined) return undefined;
  const { params = {} } = message;
  return isRecord(params) ? { ...message, method: message.method, params } : undefined;
}

/** Returns a value as a header can carry it. The specification encodes other text than printable ASCII in base64. */
function encodeHeaderValue(value: string): string {
  const isPlain = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
}
