import type { JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { readFields } from "../../client-report/exchange.js";
import type { IncomingMessage } from "../http/messages.js";
import { codes, type Params, type Refusal } from "./json-rpc.js";

/** The keys of a request's `_meta` that the protocol defines. */
const metaKeys = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  client: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
} as const;

const logLevels: readonly unknown[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** The parameter that the header Mcp-Name repeats, by method. */
const namingParameters: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/** Refuses a request whose metadata is incomplete or names a revision other than the header or the offered ones. */
export function refuseMetadata(
  { headers }: IncomingMessage,
  { method, params = {} }: JSONRPCRequest,
  versions: readonly string[],
): Refusal | null {
  const header = readHeaderText(headers["mcp-protocol-version"]);
  const version = readVersion(params);
  if (version === undefined) return refuseWithoutVersion(header, method, params, versions);
  if (typeof version !== "string") return createMetadataRefusal(metaKeys.version, "must be a string");
  if (header === undefined)
    return createMismatch(`The header MCP-Protocol-Version is missing. Send ${version}, the version in _meta.`);
  if (header !== version)
    return createMismatch(`The header MCP-Protocol-Version is ${header}, but _meta contains ${version}. Send the same version.`);
  if (!versions.includes(version)) return createVersionRefusal(version, versions);
  return refuseFields(readFields(params._meta));
}

/** Refuses a request whose headers Mcp-Method and Mcp-Name do not repeat its body. */
export function findHeaderRefusal({ headers }: IncomingMessage, { method, params = {} }: JSONRPCRequest): Refusal | null {
  const methodProblem = compare("Mcp-Method", readHeaderText(headers["mcp-method"]), method);
  if (methodProblem) return methodProblem;
  const name = Object.hasOwn(namingParameters, method) ? params[namingParameters[method]!] : undefined;
  if (typeof name !== "string") return null;
  const header = readHeaderText(headers["mcp-name"]);
  return compare("Mcp-Name", header === undefined ? undefined : decodeHeader(header), name);
}

/** Refuses a notification of a revision that is not offered. The specification defines no headers of notifications. */
export function refuseNotification({ headers }: IncomingMessage, params: Params, versions: readonly string[]): Refusal | null {
  const version = readVersion(params) ?? headers["mcp-protocol-version"];
  return version === undefined || versions.includes(String(version)) ? null : createVersionRefusal(String(version), versions);
}

/** Refuses a request whose metadata names no revision. The header tells the client's revision, and a handshake names it in its parameters. */
function refuseWithoutVersion(
  header: string | undefined,
  method: string,
  { _meta, protocolVersion }: Params,
  versions: readonly string[],
): Refusal {
  const requested = header ?? (method === "initialize" ? protocolVersion : undefined);
  if (typeof requested === "string" && !versions.includes(requested)) return createVersionRefusal(requested, versions);
  if (header !== undefined) return createMetadataRefusal(_meta === undefined ? "_meta" : metaKeys.version, "is missing");
  return createMismatch(`The header MCP-Protocol-Version is missing. This server supports ${versions.join(", ")}.`);
}

/** Refuses metadata without the client's capabilities, or with a field of another type. */
function refuseFields(meta: Params): Refusal | null {
  const { [metaKeys.capabilities]: capabilities, [metaKeys.client]: client, [metaKeys.logLevel]: logLevel } = meta;
  if (capabilities === undefined) return createMetadataRefusal(metaKeys.capabilities, "is missing");
  if (!isObject(capabilities)) return createMetadataRefusal(metaKeys.capabilities, "must be an object");
  const { name, version } = readFields(client);
  if (client !== undefined && !(typeof name === "string" && typeof version === "string"))
    return createMetadataRefusal(metaKeys.client, "must be an object with name and version");
  if (logLevel !== undefined && !logLevels.includes(logLevel))
    return createMetadataRefusal(metaKeys.logLevel, `must be one of ${logLevels.join(", ")}`);
  return null;
}

function compare(name: string, header: string | null | undefined, value: string): Refusal | null {
  if (header === undefined) return createMismatch(`The header ${name} is missing. Send ${quoteText(value)}, as in the body.`);
  if (header === null)
    return createMismatch(`The header ${name} is not valid. Send ASCII, or other text as =?base64?…?= in Base64.`);
  return header === value
    ? null
    : createMismatch(`The header ${name} is ${quoteText(header)}, but the body contains ${quoteText(value)}.`);
}

/** Returns the text of a header. Text that is not ASCII is in Base64 between two marks. Null: the header has other characters, or no Base64. */
function decodeHeader(header: string): string | null {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(header)?.[1];
  if (encoded === undefined) return /^[\t\x20-\x7e]*$/.test(header) ? header : null;
  const bytes = Buffer.from(encoded, "base64");
  return bytes.toString("base64") === encoded ? bytes.toString() : null;
}

function createVersionRefusal(requested: string, supported: readonly string[]): Refusal {
  const message = `Unsupported protocol version ${quoteText(requested)}; without a handshake, this server supports ${supported.join(", ")}.`;
  return { status: 400, code: codes.unsupportedVersion, message, data: { supported, requested } };
}

function createMetadataRefusal(field: string, problem: string): Refusal {
  return { status: 400, code: codes.invalidParams, message: `Invalid params: ${field} ${problem}.` };
}

function createMismatch(message: string): Refusal {
  return { status: 400, code: codes.headerMismatch, message };
}

function readVersion({ _meta }: Params): unknown {
  return readFields(_meta)[metaKeys.version];
}

function readHeaderText(header: string | string[] | undefined): string | undefined {
  return header === undefined ? undefined : String(header);
}

function quoteText(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
