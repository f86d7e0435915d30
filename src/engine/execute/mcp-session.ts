import { isDeepStrictEqual } from "node:util";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isEventStream, isResumable } from "../http/event-stream.js";
import { bodyText, type Exchange, type WireRequest } from "../http/exchange.js";
import { isSessionRequest, rpcAnswer, rpcMessage, unwrapRpcAnswer } from "../http/mcp.js";
import type { Environment } from "../target/environment.js";
import type { Handshake, JoinedSession } from "./kept-sessions.js";
import { numbered } from "./numbered-transport.js";
import type { Reply } from "./reply.js";
import type { Run } from "./run.js";
import { sendPatiently } from "./send.js";

/** How the next request of a session is sent: for which run, to which environment, and which of 429 and 503 are not waited out. */
export interface SendContext {
  run: Run;
  environment: Environment;
  wanted: ReadonlySet<number>;
}

/** One MCP session, by the protocol's official client. Every request goes over our own wire, so its answer is judged as it came. */
export interface McpSession {
  client: Client;
  transport: StreamableHTTPClientTransport;
  context: SendContext;
  last: Reply | undefined;
  /** How it was begun. */
  handshake: Handshake;
  /** What the client's handshake is answered from, while it joins a session that had begun before. */
  joins: Handshake | undefined;
  /** Whether it outlives its client, for others to join it. */
  isKept: boolean;
  /** Called when an answer is handed to the client, and when the client asks for more. */
  progress?: (holder: "the client" | "the wire") => void;
}

/** A session that has begun, or the reply by which the tool server would not begin one. */
export type McpSessionResult = { ok: true; session: McpSession } | { ok: false; reply: Reply };

/** The longest delay a timer takes: deadlines are the wire's, never the client's. */
const NEVER_MS = 2 ** 31 - 1;
/** How long the client may take over an answer that it holds: what it cannot read in a stream it drops, and waits for ever. */
const DIGESTION_MS = 2000;

/** Begins a session, or joins one that is kept: the client shakes hands, and keeps the session's id if the server gives one. The client is loaded with the first session. */
export async function openMcpSession(
  context: SendContext,
  request: WireRequest,
  headers: Record<string, string>,
  joined?: JoinedSession,
): Promise<McpSessionResult> {
  const { Client, StreamableHTTPClientTransport } = await import("../../mcp-sdk/client.js");
  const transport = new StreamableHTTPClientTransport(new URL(request.url), {
    fetch: (_, init) => overOurWire(session, request.url, init ?? {}),
    requestInit: { headers },
  });
  const client = new Client({ name: "counterpart", version: "1" });
  const begun: Exchange[] = [];
  const session: McpSession = {
    ...{ client, transport, context: listening(context, begun), last: undefined },
    ...{ handshake: joined?.handshake ?? begun, joins: joined?.handshake, isKept: joined !== undefined },
  };
  const connected = client.connect(numbered(transport as Transport, joined?.number ?? 0));
  const trouble = await inTime(session, connected).then(() => undefined, inWords);
  session.joins = undefined;
  if (trouble === undefined) return { ok: true, session };
  const { last } = session;
  if (last && (!last.ok || last.response.status >= 400)) return { ok: false, reply: last };
  return { ok: false, reply: { ok: false, request, why: `the tool server cannot be joined: ${trouble}` } };
}

/** Sends one request in a session. An answer with a result that the client cannot read says nothing about the tool. */
export async function requestInSession(session: McpSession, context: SendContext, request: WireRequest): Promise<Reply> {
  const { ResultSchema } = await import("../../mcp-sdk/client.js");
  session.context = context;
  session.last = undefined;
  const { method, params } = rpcMessage(request);
  const answered = session.client.request({ method, params }, ResultSchema, { timeout: NEVER_MS });
  const trouble = await inTime(session, answered).then(() => undefined, inWords);
  const reply = session.last as Reply | undefined; // set by the request that has just gone out
  if (!reply?.ok) return reply ?? { ok: false, request, why: `the official client sent nothing: ${trouble}` };
  const answer = rpcAnswer(reply.response, reply.request);
  if (trouble !== undefined && answer && "result" in answer)
    return { ok: false, request: reply.request, why: `the official client cannot read the answer: ${trouble}` };
  if (!answer && isEventStream(reply.response.headers) && isResumable(bodyText(reply.response)))
    return { ok: false, request: reply.request, why: "the stream ended before the answer, and would go on in another" };
  return { ...reply, response: unwrapRpcAnswer(reply.response, reply.request) };
}

/** Ends a session, on the server too unless it is kept. What goes wrong here is nobody's finding. */
export async function closeMcpSession(session: McpSession, context: SendContext): Promise<void> {
  session.context = context;
  if (session.transport.sessionId !== undefined && !session.isKept) await session.transport.terminateSession().catch(() => {});
  await session.client.close().catch(() => {});
}

/** The context with the exchanges of a handshake put down as they come, but for those that refuse. */
function listening({ run, ...context }: SendContext, handshake: Exchange[]): SendContext {
  const onExchange: Run["onExchange"] = (exchange) => {
    const isTaken = exchange.response !== undefined && exchange.response.status < 400;
    if (isTaken && isSessionRequest(exchange.request)) handshake.push(exchange);
    run.onExchange?.(exchange);
  };
  return { ...context, run: { ...run, onExchange } };
}

/** The client's `fetch`. Nobody waits for a server's own messages, so the stream for them is never opened. */
async function overOurWire(session: McpSession, url: string, { method = "GET", headers, body }: RequestInit): Promise<Response> {
  if (method === "GET") return new Response(null, { status: 405 });
  const { run, environment, wanted } = session.context;
  const message = typeof body === "string" ? (JSON.parse(body) as { id?: unknown; method?: string }) : {};
  const bytes = typeof body === "string" ? { body: new TextEncoder().encode(body) } : {};
  const answersServer = typeof body === "string" && message.method === undefined;
  if (session.joins && answersServer) return new Response(null, { status: 202 }); // the client knows it from the start of the session
  session.progress?.("the wire");
  const asked: WireRequest = { method, url, headers: plainHeaders(headers), ...bytes };
  const reply = (session.joins && answerBefore(session.joins, asked)) ?? (await sendPatiently(run, environment, asked, wanted));
  if (!answersServer) session.last = reply; // the client answers a server's own requests while it waits for the answer to its
  if (!reply.ok) throw new Error(reply.why);
  session.progress?.("the client");
  const { response, request } = reply;
  if (response.status < 400 && !answersServer && isUnanswered(message.id, rpcAnswer(response, request)?.id))
    throw new Error("this is no answer to the request");
  const empty = [204, 205, 304].includes(response.status);
  // the client takes a CR at the very end for half of a CR LF, and waits for the other half
  const text = isEventStream(response.headers) ? bodyText(response).replace(/\r\n?/g, "\n") : new Uint8Array(response.body);
  return new Response(empty ? null : text, { status: response.status, headers: response.headers });
}

/** What a request was answered when the session was begun. */
function answerBefore(handshake: Handshake, request: WireRequest): Reply | undefined {
  const before = handshake.find((one) => isDeepStrictEqual(one.request, request));
  return before?.response && { ok: true, request, response: before.response, exchanges: 0 };
}

/** Whether a request is left without an answer of its id. */
function isUnanswered(id: unknown, answered: unknown): boolean {
  return id !== undefined && ((answered ?? null) === null || Number(answered) !== Number(id));
}

/** What the client does, unless it keeps an answer for longer than anybody needs to read one. */
async function inTime<T>(session: McpSession, doing: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    session.progress = (holder) => {
      clearTimeout(timer);
      if (holder === "the client") timer = setTimeout(() => reject(new Error("it makes nothing of it")), DIGESTION_MS);
    };
  });
  return Promise.race([doing, late]).finally(() => clearTimeout(timer));
}

function plainHeaders(headers: RequestInit["headers"]): Record<string, string> {
  return Object.fromEntries(new Headers(headers));
}

function inWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
