import { isDeepStrictEqual } from "node:util";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isEventStream, isResumable } from "../http/event-stream.js";
import { type Exchange, readBodyText, type WireRequest } from "../http/exchange.js";
import { createRpcMessage, isHtml, isSessionRequest, rpcResponse, unwrapRpcResponse } from "../http/mcp.js";
import { chooseSessionRevision } from "../http/mcp-revisions.js";
import type { Environment } from "../target/environment.js";
import type { Handshake, SharedSession } from "./kept-sessions.js";
import { numberTransport } from "./numbered-transport.js";
import type { Run } from "./run.js";
import { sendPatiently } from "./send.js";
import type { SendResult } from "./send-result.js";

/** How a session sends its next request: the run, the environment, and those of 429 and 503 that it does not retry. */
export interface SendContext {
  run: Run;
  environment: Environment;
  wanted: ReadonlySet<number>;
}

/** One MCP session of the official client. The runner itself sends every request, so it can judge the unchanged answers. */
export interface McpSession {
  client: Client;
  transport: StreamableHTTPClientTransport;
  context: SendContext;
  last: SendResult | undefined;
  /** The exchanges that opened it. */
  handshake: Handshake;
  /** The recorded handshake that answers the client while it joins a kept session. */
  joins: Handshake | undefined;
  /** Whether it stays open for other clients after this client closes. */
  isKept: boolean;
  /** Called with "the client" when the client receives a response, and with "the wire" when it sends a request. */
  progress?: (holder: "the client" | "the wire") => void;
}

/** An open session, or the reply with which the tool server refused to open it. */
export type McpSessionResult = { ok: true; session: McpSession } | { ok: false; reply: SendResult };

/** The longest delay of a timer. The runner's wire has deadlines, so the client needs none. */
const NEVER_DELAY_MS = 2 ** 31 - 1;
/** How long the client may take to process a response. It silently drops stream events that it cannot read, and would wait forever. */
const HANDSHAKE_PAUSE_MS = 2000;

/** Opens a session with the MCP handshake, or joins a kept session. The first call loads the official client. */
export async function openMcpSession(
  context: SendContext,
  request: WireRequest,
  headers: Record<string, string>,
  sharedSession?: SharedSession,
): Promise<McpSessionResult> {
  const { Client, StreamableHTTPClientTransport } = await import("../../mcp-sdk/client.js");
  const transport = new StreamableHTTPClientTransport(new URL(request.url), {
    fetch: (_, init) => sendOverWire(session, request.url, init ?? {}),
    requestInit: { headers },
  });
  const client = new Client({ name: "counterpart", version: "1" });
  const exchanges: Exchange[] = [];
  const session: McpSession = {
    ...{ client, transport, context: addListener(context, exchanges), last: undefined },
    ...{ handshake: sharedSession?.handshake ?? exchanges, joins: sharedSession?.handshake, isKept: sharedSession !== undefined },
  };
  const revision = chooseSessionRevision(context.environment.target);
  const connected = client.connect(numberTransport(transport as Transport, sharedSession?.number ?? 0, revision));
  const failure = await runInTime(session, connected).then(() => undefined, readMessage);
  session.joins = undefined;
  if (failure === undefined) return { ok: true, session };
  const { last } = session;
  if (last && (!last.ok || last.response.status >= 400 || isHtml(last.response))) return { ok: false, reply: last };
  return { ok: false, reply: { ok: false, request, why: `the session with the tool server could not be opened: ${failure}` } };
}

/** Sends one request in a session. A result that the client cannot read gives no response to judge. */
export async function sendInSession(session: McpSession, context: SendContext, request: WireRequest): Promise<SendResult> {
  const { ResultSchema } = await import("../../mcp-sdk/client.js");
  session.context = context;
  session.last = undefined;
  const { method, params } = createRpcMessage(request);
  const answered = session.client.request({ method, params }, ResultSchema, { timeout: NEVER_DELAY_MS });
  const failure = await runInTime(session, answered).then(() => undefined, readMessage);
  const result = session.last as SendResult | undefined; // `overOurWire` set it
  if (!result?.ok) return result ?? { ok: false, request, why: `the official client sent nothing: ${failure}` };
  const response = rpcResponse(result.response, result.request);
  if (failure !== undefined && response && "result" in response)
    return { ok: false, request: result.request, why: `the official client cannot read the answer: ${failure}` };
  if (!response && isEventStream(result.response.headers) && isResumable(readBodyText(result.response)))
    return {
      ok: false,
      request: result.request,
      why: "the stream ended before the answer, and the client would have to resume it",
    };
  return { ...result, response: unwrapRpcResponse(result.response, result.request) };
}

/** Closes a session, on the server too unless it is kept. Ignores errors. */
export async function closeMcpSession(session: McpSession, context: SendContext): Promise<void> {
  session.context = context;
  if (session.transport.sessionId !== undefined && !session.isKept) await session.transport.terminateSession().catch(() => {});
  await session.client.close().catch(() => {});
}

/** Returns the context with a listener that records the exchanges of a handshake, except refusals. */
function addListener({ run, ...context }: SendContext, handshake: Exchange[]): SendContext {
  const onExchange: Run["onExchange"] = (exchange) => {
    const isTaken = exchange.response !== undefined && exchange.response.status < 400;
    if (isTaken && isSessionRequest(exchange.request)) handshake.push(exchange);
    run.onExchange?.(exchange);
  };
  return { ...context, run: { ...run, onExchange } };
}

/** Serves as the client's `fetch`. Refuses GET with a 405, because the runner needs no stream of server messages. */
async function sendOverWire(session: McpSession, url: string, { method = "GET", headers, body }: RequestInit): Promise<Response> {
  if (method === "GET") return new Response(null, { status: 405 });
  const { run, environment, wanted } = session.context;
  const message = typeof body === "string" ? (JSON.parse(body) as { id?: unknown; method?: string }) : {};
  const bytes = typeof body === "string" ? { body: new TextEncoder().encode(body) } : {};
  const answersServer = typeof body === "string" && message.method === undefined;
  if (session.joins && answersServer) return new Response(null, { status: 202 }); // the first client has answered the server already
  session.progress?.("the wire");
  const wireRequest: WireRequest = { method, url, headers: readPlainHeaders(headers), ...bytes };
  const result =
    (session.joins && respondBefore(session.joins, wireRequest)) ?? (await sendPatiently(run, environment, wireRequest, wanted));
  if (!answersServer) session.last = result; // the client may answer a server's request while its own request is open
  if (!result.ok) throw new Error(result.why);
  session.progress?.("the client");
  const { response, request } = result;
  if (response.status < 400 && !answersServer && isUnanswered(message.id, rpcResponse(response, request)?.id))
    throw new Error("the message is not an answer to the request");
  const isEmpty = [204, 205, 304].includes(response.status);
  // the client reads a final CR as the start of a CR LF and waits for the LF
  const text = isEventStream(response.headers) ? readBodyText(response).replace(/\r\n?/g, "\n") : new Uint8Array(response.body);
  return new Response(isEmpty ? null : text, { status: response.status, headers: response.headers });
}

/** Returns the response that the same request got in the recorded handshake. */
function respondBefore(handshake: Handshake, request: WireRequest): SendResult | undefined {
  const exchangeBefore = handshake.find((exchange) => isDeepStrictEqual(exchange.request, request));
  return exchangeBefore?.response && { ok: true, request, response: exchangeBefore.response, exchanges: 0 };
}

/** Returns whether a request has an id and the response has a different id or none. */
function isUnanswered(id: unknown, answered: unknown): boolean {
  return id !== undefined && ((answered ?? null) === null || Number(answered) !== Number(id));
}

/** Waits for an action of the client. Rejects if the client takes longer than `HANDSHAKE_PAUSE_MS` to process a response. */
async function runInTime<T>(session: McpSession, doing: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    session.progress = (holder) => {
      clearTimeout(timer);
      if (holder === "the client")
        timer = setTimeout(
          () => reject(new Error(`the client did not process it within ${HANDSHAKE_PAUSE_MS} ms`)),
          HANDSHAKE_PAUSE_MS,
        );
    };
  });
  return Promise.race([doing, late]).finally(() => clearTimeout(timer));
}

function readPlainHeaders(headers: RequestInit["headers"]): Record<string, string> {
  return Object.fromEntries(new Headers(headers));
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
