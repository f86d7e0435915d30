import { createHookContext } from "../execute/clock.js";
import type { WireRequest, WireResponse } from "../http/exchange.js";
import { createRpcRequest, rpcResponse } from "../http/mcp.js";
import { adaptToRevision, isStateless, type McpRevision, mcpRevisions, type ServerRevisions } from "../http/mcp-revisions.js";
import { isRecord } from "../scenario/interpolate.js";
import { hideCredentials } from "../target/credentials.js";
import { closeEnvironment, createSharedEnvironment, openEnvironment } from "../target/environment.js";
import { omitDerivedTools, type Target } from "../target/target.js";
import { deriveTools } from "./derive-tools.js";
import { describeResponse, formatRequestName, type PreflightContext, type ProbeResult, probe } from "./probe.js";
import { listTools } from "./tools.js";

/**
 * The facts about the tool server that the preflight found: the newest revisions of MCP that it shares with the runner, the reason for
 * none, or that no tool server is there. Empty if its responses are inconclusive: scenarios judge them.
 */
export type ToolServerFacts = ServerRevisions | { mcpRefusal: string } | { absent: string };

/** Statuses of a host without a tool server. A tool server answers 401 to a request without a valid key. */
const ABSENT_STATUSES = new Set([404, 405, 410, 501, 502, 504]);
/** The JSON-RPC error of a server that does not support the revision of a request. Its data lists those that it supports. */
const UNSUPPORTED_REVISION = -32022;

/**
 * Finds out which revisions of MCP the tool server supports, with one `server/discover` and one `initialize`. Lists the tools of a stateless one. If the user sets `mcp_revision`, sends
 * only the request of its family. Ends the session that the server may open.
 */
export async function examineToolServer(
  context: PreflightContext,
  url: string,
  key: string | undefined,
): Promise<ToolServerFacts> {
  const configuredRevision = context.run.target.mcpRevision;
  const offered = configuredRevision === undefined ? mcpRevisions : [configuredRevision];
  const credentials: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const ask = async (message: object, revision: McpRevision) => {
    const request = adaptToRevision(createRpcRequest(url, { raw: { jsonrpc: "2.0", id: 1, ...message } }, credentials), {
      mcpRevision: revision,
    });
    return { request, result: await probe(context.run, request) };
  };
  const named: string[] = [];
  const serverRevisions: ServerRevisions = {};
  let last: Trial | undefined;
  const stateless = offered.find(isStateless);
  if (stateless) {
    last = await ask({ method: "server/discover", params: {} }, stateless);
    named.push(...listRevisions(last.result));
    const common = offered.find((revision) => named.includes(revision) && isStateless(revision));
    if (common) serverRevisions.mcpRevision = common;
  }
  const latest = offered.find((revision) => !isStateless(revision));
  if (latest && !isUnclear(last?.result)) {
    last = await ask(createHandshake(latest), latest);
    const spoken = await confirmRevision(context, last);
    const common = offered.find((revision) => revision === spoken && !isStateless(revision));
    if (common) serverRevisions[serverRevisions.mcpRevision ? "mcpHandshake" : "mcpRevision"] = common;
    named.push(...listRevisions(last.result), ...(spoken === undefined ? [] : [spoken]));
  }
  if (serverRevisions.mcpRevision) return { ...serverRevisions, ...(await findMirroredArguments(context, serverRevisions, key)) };
  return (last && findAbsence(context, last)) ?? findRefusal(configuredRevision, named, last?.result) ?? {};
}

/** Returns the arguments that stateless calls repeat in headers, from the schemas of the tools. Sends nothing for revisions with a handshake. */
async function findMirroredArguments(
  { run }: PreflightContext,
  serverRevisions: ServerRevisions,
  key: string | undefined,
): Promise<Pick<ServerRevisions, "mcpHeaders">> {
  if (!isStateless(serverRevisions.mcpRevision) || key === undefined) return {};
  const target = { ...run.target, ...serverRevisions };
  const result = await listTools({ ...run, target }, createSharedEnvironment(target), key);
  const mcpHeaders = result.ok ? result.tools.flatMap(({ headers = [] }) => headers) : [];
  return mcpHeaders.length > 0 ? { mcpHeaders } : {};
}

/**
 * Returns the target with the revisions of MCP that its tool server supports and the tools that it lists, for a run without a preflight. Opens
 * a world for this if the target has worlds. Returns only what the target file says if nothing can be found out.
 */
export async function examineTools(context: PreflightContext): Promise<Target> {
  const { run, rules } = context;
  const { mcp } = run.target.urls;
  const hooks = createHookContext(run, { world: "" });
  const result = mcp === undefined ? undefined : await openEnvironment(run.target, undefined, hooks);
  const unnamed = omitDerivedTools(run.target);
  if (mcp === undefined || !result?.ok) return unnamed;
  const { environment } = result;
  hideCredentials(run.mask, environment);
  try {
    const key = environment.keys[rules.defaultRole];
    const facts = await examineToolServer(context, mcp, key);
    if ("absent" in facts) return unnamed;
    const target = { ...run.target, ...facts };
    const list = key === undefined ? undefined : await listTools({ ...run, target }, { ...environment, target }, key);
    return list?.ok ? deriveTools(run.suite.target.names, target, list.tools) : { ...unnamed, ...facts };
  } finally {
    await closeEnvironment(environment, hooks);
  }
}

interface Trial {
  request: WireRequest;
  result: ProbeResult;
}

function createHandshake(protocolVersion: McpRevision): object {
  const clientInfo = { name: "counterpart", version: "1" };
  return { method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo } };
}

/** Returns the revision that a response to `initialize` names, and ends the session that it opened. */
async function confirmRevision({ run }: PreflightContext, { request, result }: Trial): Promise<string | undefined> {
  const response = "response" in result ? rpcResponse(result.response) : undefined;
  const revision = isRecord(response?.result) ? response.result.protocolVersion : undefined;
  if (typeof revision !== "string" || !("response" in result)) return undefined;
  const { "mcp-session-id": session } = result.response.headers;
  const { body: _, headers, ...rest } = request;
  const named = { "mcp-session-id": session ?? "", "mcp-protocol-version": revision };
  if (session !== undefined) await probe(run, { ...rest, method: "DELETE", headers: { ...headers, ...named } });
  return revision;
}

/** Returns the revisions that a response lists: the result of `server/discover`, or the error for a revision that the server does not speak. */
function listRevisions(result: ProbeResult): string[] {
  const response = "response" in result ? rpcResponse(result.response) : undefined;
  const { result: found, error } = response ?? {};
  if (isRecord(found)) return listTexts(found.supportedVersions);
  return isRecord(error) && error.code === UNSUPPORTED_REVISION && isRecord(error.data) ? listTexts(error.data.supported) : [];
}

function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Returns whether a response is inconclusive about revisions: it is missing, the server is busy or broken, or it refuses the key. */
function isUnclear(result: ProbeResult | undefined): boolean {
  if (result === undefined) return false;
  return !("response" in result) || [401, 403, 429].includes(result.response.status);
}

function findAbsence({ rules }: PreflightContext, { request, result }: Trial): ToolServerFacts | undefined {
  if ("stop" in result || ("response" in result && !isAbsent(result.response))) return undefined;
  const what =
    "failure" in result
      ? `got no answer: ${result.failure.message}`
      : `answered ${describeResponse(rules.answers, result.response)}`;
  return {
    absent: `There is no tool server: ${formatRequestName(request)} ${what}. Set mcp_url in the target file, or use --surface rest. Scenarios that need it are skipped.`,
  };
}

function isAbsent(response: WireResponse): boolean {
  return ABSENT_STATUSES.has(response.status) && rpcResponse(response) === undefined;
}

/** Returns why the server and the runner share no revision. A server that names none may be broken: scenarios judge it, unless the user set one. */
function findRefusal(
  configuredRevision: McpRevision | undefined,
  named: readonly string[],
  last: ProbeResult | undefined,
): ToolServerFacts | undefined {
  const isServed = last !== undefined && !isUnclear(last) && "response" in last && last.response.status < 500;
  const list = [...new Set(named)].join(", ");
  if (configuredRevision !== undefined && isServed)
    return {
      mcpRefusal: `the tool server does not support MCP ${configuredRevision}${list && `: it names ${list}`}. Set another mcp_revision, or none`,
    };
  if (named.length === 0) return undefined;
  return {
    mcpRefusal: `the tool server and the runner share no revision of MCP: the server names ${list}, the runner supports ${mcpRevisions.join(", ")}`,
  };
}
