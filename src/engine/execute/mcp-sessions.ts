import type { WireRequest } from "../http/exchange.js";
import type { Execution } from "./execution.js";
import { closeMcpSession, type McpSessionResult, openMcpSession } from "./mcp-session.js";

/** As much of an execution as its MCP sessions need. */
export type McpContext = Pick<Execution, "run" | "environment" | "mcpSessions">;

/** The MCP session of a request's address and credentials: one for all requests of an execution that have the same. */
export async function mcpSessionFor(
  { run, environment, mcpSessions }: McpContext,
  request: WireRequest,
  wanted: ReadonlySet<number>,
): Promise<McpSessionResult> {
  const name = nameOf(request);
  const known = mcpSessions.get(name);
  if (known) return { ok: true, session: known };
  const opened = await openMcpSession({ run, environment, wanted }, request, ownHeaders(request));
  if (opened.ok) mcpSessions.set(name, opened.session);
  return opened;
}

/** Forgets the session of a request, so that the next one begins another. */
export function forgetMcpSession({ mcpSessions }: McpContext, request: WireRequest): void {
  mcpSessions.delete(nameOf(request));
}

/** Ends all MCP sessions of an execution. */
export async function closeMcpSessions({ mcpSessions, run, environment }: McpContext): Promise<void> {
  const context = { run, environment, wanted: new Set([429, 503]) };
  await Promise.all([...mcpSessions.values()].map((session) => closeMcpSession(session, context)));
  mcpSessions.clear();
}

function nameOf(request: WireRequest): string {
  return JSON.stringify([request.url, ownHeaders(request)]);
}

/** The headers of a request that are not the client's own business. */
function ownHeaders({ headers }: WireRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(accept|content-type|mcp-.*)$/.test(name)));
}
