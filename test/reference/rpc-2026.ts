import { isRecord } from "./call.js";

/** The revision of MCP whose requests describe the client themselves, so that it has no sessions. */
export const NEWEST = "2026-07-28";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const SERVER = "io.modelcontextprotocol/serverInfo";

/** The parameter that the header Mcp-Name repeats, by method. */
const NAMES: Readonly<Record<string, string>> = { "tools/call": "name", "prompts/get": "name" };
/** The methods whose answers a client may keep. */
const KEPT = ["server/discover", "tools/list", "prompts/list"];

interface Message {
  method?: unknown;
  params?: unknown;
}

/** Returns whether a message claims to be one of the newest revision, by its content or by its header. */
export function isNewest({ params }: Message, headers: Readonly<Record<string, string | undefined>>): boolean {
  const meta = isRecord(params) ? params._meta : undefined;
  return headers["mcp-protocol-version"] === NEWEST || (isRecord(meta) && VERSION in meta);
}

/** Returns the error of a request that the newest revision does not allow. Each has HTTP status 400. */
export function getFault(
  { method, params }: Message,
  headers: Readonly<Record<string, string | undefined>>,
  revisions: readonly string[],
): { code: number; message: string; data?: object } | undefined {
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : {};
  const version = meta[VERSION] ?? headers["mcp-protocol-version"];
  if (version !== NEWEST || !revisions.includes(NEWEST))
    return {
      code: -32022,
      message: "Not a revision of this server",
      data: { supported: revisions, requested: version ?? "none" },
    };
  if (meta[VERSION] === undefined || !isRecord(meta[CAPABILITIES]))
    return { code: -32602, message: `_meta lacks ${VERSION} or ${CAPABILITIES}` };
  const field = typeof method === "string" && Object.hasOwn(NAMES, method) ? NAMES[method] : undefined;
  const name = field !== undefined && isRecord(params) ? params[field] : undefined;
  const wanted = {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": name }),
  };
  const other = Object.entries(wanted).find(([header, value]) => decodeHeader(headers[header]) !== value);
  return other && { code: -32020, message: `The header ${other[0]} differs from the message` };
}

/** Returns the response to `server/discover`. */
export function discoverResult(revisions: readonly string[]): object {
  return { supportedVersions: revisions, capabilities: { tools: {}, prompts: {} }, instructions: "Ask." };
}

/** Returns a result as the newest revision wants it. */
export function completeResult(method: unknown, result: unknown): unknown {
  const kept = KEPT.includes(String(method)) ? { ttlMs: 0, cacheScope: "private" } : {};
  const meta = { _meta: { [SERVER]: { name: "reference", version: "9" } } };
  return isRecord(result) ? { ...kept, ...meta, ...result, resultType: "complete" } : result;
}

/** Returns the value of a header, which may be in base64. */
export function decodeHeader(value: string | undefined): string | undefined {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value ?? "") ?? [];
  return base64 === undefined ? value : Buffer.from(base64, "base64").toString();
}

/** The arguments that headers of a call repeat, if the variant wants so. */
export const MARKED: readonly string[] = ["repo", "ref", "status"];

/** Returns the schema of an argument, with the mark of those that a header repeats. */
export function markArgument(isOn: boolean, name: string, schema: Record<string, unknown> | undefined): typeof schema {
  return isOn && MARKED.includes(name) ? { ...schema, "x-mcp-header": `Argument-${name}` } : schema;
}
