import type { RequestId } from "@modelcontextprotocol/sdk/types.js";
import { readFields } from "../../client-report/exchange.js";
import type { IncomingMessage } from "../http/messages.js";
import {
  codes,
  createInvalidRequest,
  createProtocolError,
  type Method,
  type Refusal,
  type Result,
  respondWithMethod,
} from "./json-rpc.js";
import { findHeaderRefusal, refuseMetadata, refuseNotification } from "./modern-requests.js";
import type { Message, RevisionFamily } from "./revision-family.js";

/** The server as `server/discover` describes it. */
export interface ServerDescription {
  info: { name: string; version: string };
  capabilities: object;
  instructions: string;
}

/** The results that carry caching hints. */
const cacheable = new Set(["server/discover", "tools/list", "prompts/list"]);

/** Lets no client keep a result, so that every request of a test reaches the mock. All callers get the same lists. */
const cachingHints = { ttlMs: 0, cacheScope: "public" } as const;

/** Returns the adapter of the revisions without a handshake: each request carries its revision and the client's capabilities. */
export function createModernFamily(
  versions: readonly string[],
  shared: Readonly<Record<string, Method>>,
  { info, capabilities, instructions }: ServerDescription,
): RevisionFamily {
  const discovery: Result = { supportedVersions: versions, capabilities, instructions };
  const methods: Readonly<Record<string, Method>> = { ...shared, "server/discover": () => discovery };
  const _meta = { "io.modelcontextprotocol/serverInfo": info };
  const complete = (result: Result): Result => ({ resultType: "complete", ...result, _meta });
  return {
    versions,
    refuse: ({ request }, message) => refuse(request, message, versions),
    answer: (request, context) => {
      const method = Object.hasOwn(methods, request.method) ? methods[request.method]! : createUnknownMethod(request.method);
      const hints = cacheable.has(request.method) ? cachingHints : null;
      return respondWithMethod((...given) => complete({ ...method(...given), ...hints }), request, context);
    },
    complete,
    statusOf: (response) => (readFields(readFields(response).error).code === codes.methodNotFound ? 404 : 200),
    headersOf: () => ({}),
    refusalBody: createRefusalBody,
    respondToMethod: () => null,
    noteOn: addNote,
  };
}

function createUnknownMethod(name: string): Method {
  return () => {
    throw createProtocolError(codes.methodNotFound, `There is no method ${name}.`);
  };
}

function refuse(http: IncomingMessage, message: Message, versions: readonly string[]): Refusal | null {
  switch (message.kind) {
    case "request":
      return refuseMetadata(http, message.request, versions) ?? findHeaderRefusal(http, message.request);
    case "notification":
      return refuseNotification(http, message.params, versions);
    default:
      return createInvalidRequest("in this protocol revision, clients send no responses.");
  }
}

/** The code of the HTTP transport is reserved for legacy revisions: here it is the code of an invalid request. */
function createRefusalBody({ code, message, data }: Refusal, id: RequestId | undefined): object {
  const error = { code: code === codes.transport ? codes.invalidRequest : code, message, ...(data && { data }) };
  return { jsonrpc: "2.0", ...(id !== undefined && { id }), error };
}

function addNote({ headers }: IncomingMessage): string | undefined {
  if (headers["mcp-session-id"] === undefined) return undefined;
  return "The header Mcp-Session-Id is ignored: this protocol revision has no sessions.";
}
