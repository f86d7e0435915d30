import type { WireRequest } from "../http/exchange.js";
import { createBearer } from "../pacing/reservation.js";
import { createSharedEnvironment } from "../target/environment.js";
import type { Execution } from "./execution.js";
import { type Handshake, type KeptSessions, listOwnHeaders, readSessionName, type SharedSession } from "./kept-sessions.js";
import { closeMcpSession, type McpSessionResult, openMcpSession } from "./mcp-session.js";
import type { Run } from "./run.js";
import { waitForRoom } from "./send.js";

/** The parts of an execution that its MCP sessions use. */
export type McpContext = Pick<Execution, "run" | "environment" | "mcpSessions">;

/**
 * Returns the MCP session for the address and credentials of a request. All requests of an execution share it. If the run keeps sessions,
 * all its executions share it.
 */
export async function connectMcpSession(
  context: McpContext,
  request: WireRequest,
  wanted: ReadonlySet<number>,
): Promise<McpSessionResult> {
  const keptSessions = findKeptSessions(context.run, request);
  if (!keptSessions) return openRawMcpSession(context, request, wanted);
  return getOrOpen(context, readSessionName(request), () => joinOrBegin(context, keptSessions, request, wanted));
}

/** Returns the MCP session for raw messages. They do not use a kept session, since they choose their own ids. */
export async function openRawMcpSession(
  context: McpContext,
  request: WireRequest,
  wanted: ReadonlySet<number>,
): Promise<McpSessionResult> {
  const { run, environment } = context;
  const name = findKeptSessions(run, request) ? `raw ${readSessionName(request)}` : readSessionName(request);
  return getOrOpen(context, name, () => openMcpSession({ run, environment, wanted }, request, listOwnHeaders(request)));
}

/** Returns the execution's session of this name. Opens it if there is none yet. */
async function getOrOpen(
  { mcpSessions }: McpContext,
  name: string,
  open: () => Promise<McpSessionResult>,
): Promise<McpSessionResult> {
  const mcpSession = mcpSessions.get(name);
  if (mcpSession) return { ok: true, session: mcpSession };
  const mcpSessionResult = await open();
  if (mcpSessionResult.ok) mcpSessions.set(name, mcpSessionResult.session);
  return mcpSessionResult;
}

/** Forgets the session of a request. The next request opens a new session. */
export function forgetMcpSession({ run, mcpSessions }: McpContext, request: WireRequest): void {
  const name = readSessionName(request);
  const session = mcpSessions.get(name);
  if (session?.isKept) run.keptSessions?.forget(name, session.handshake);
  mcpSessions.delete(name);
}

/** Closes all MCP sessions of an execution. Kept sessions stay open on the server. */
export async function closeMcpSessions({ mcpSessions, run, environment }: McpContext): Promise<void> {
  const context = { run, environment, wanted: RETRIED_STATUSES };
  await Promise.all([...mcpSessions.values()].map((session) => closeMcpSession(session, context)));
  mcpSessions.clear();
}

/** Closes the kept MCP sessions of a run, on the server too. */
export async function closeKeptSessions(run: Run): Promise<void> {
  const context = { run, environment: createSharedEnvironment(run.target), wanted: RETRIED_STATUSES };
  const end = async (sharedSession: SharedSession) => {
    const [first] = sharedSession.handshake;
    const mcpSessionResult =
      first && (await openMcpSession(context, first.request, listOwnHeaders(first.request), sharedSession));
    if (!mcpSessionResult?.ok) return;
    mcpSessionResult.session.isKept = false;
    await closeMcpSession(mcpSessionResult.session, context);
  };
  await Promise.all((run.keptSessions?.takeAll() ?? []).map(end));
}

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 503]);

/** Returns the store of kept sessions if it may keep this request's session: the request has only a key of the target file as credentials. */
function findKeptSessions({ keptSessions, target }: Run, request: WireRequest): KeptSessions | undefined {
  const { authorization, ...others } = listOwnHeaders(request);
  const isOwn = Object.values(target.keys).some((key) => createBearer(key) === authorization);
  return isOwn && Object.keys(others).length === 0 ? keptSessions : undefined;
}

/** Joins the kept session, or opens it if there is none. Waits first while another execution opens it. */
async function joinOrBegin(
  { run, environment }: McpContext,
  keptSessions: KeptSessions,
  request: WireRequest,
  wanted: ReadonlySet<number>,
): Promise<McpSessionResult> {
  const name = readSessionName(request);
  const secondsLeft = () => Math.min(keptSessions.wait(name), run.maxWaitSeconds);
  const waitResult = await waitForRoom(run, environment, secondsLeft, "a session that another execution opens");
  if (!waitResult.ok)
    return { ok: false, reply: { ok: false, request, why: `another execution is opening the session, and ${waitResult.why}` } };
  const sharedSession = keptSessions.join(name);
  const open = () => openMcpSession({ run, environment, wanted }, request, listOwnHeaders(request), sharedSession);
  if (sharedSession) return open();
  const end = keptSessions.begin(name);
  let handshake: Handshake | undefined;
  try {
    const mcpSessionResult = await open();
    if (mcpSessionResult.ok) {
      mcpSessionResult.session.isKept = true;
      handshake = mcpSessionResult.session.handshake;
    }
    return mcpSessionResult;
  } finally {
    end(handshake);
  }
}
