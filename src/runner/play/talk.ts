import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Stage } from "../target/stage.js";
import { isEventStream, isResumable } from "../wire/event-stream.js";
import { bodyText, type WireRequest } from "../wire/exchange.js";
import { answerIn, messageOf, plainAnswer } from "../wire/mcp.js";
import type { Run } from "./run.js";
import { type Sent, sendPatiently } from "./send.js";

/** For whom the next request of a talk is sent, and which of 429 and 503 it does not mind. */
export interface Way {
  run: Run;
  stage: Stage;
  wanted: ReadonlySet<number>;
}

/** One conversation with the tool server by the protocol's official client. Every request goes over our own wire, so its answer is judged as it came. */
export interface Talk {
  client: Client;
  transport: StreamableHTTPClientTransport;
  way: Way;
  last: Sent | undefined;
  /** Told when an answer is handed to the client, and when the client asks for more. */
  progress?: (holds: "the client" | "the wire") => void;
}

/** A talk that has begun, or how the tool server would not begin one. */
export type Joined = { ok: true; talk: Talk } | { ok: false; sent: Sent };

/** The longest delay a timer takes: deadlines are the wire's, never the client's. */
const NEVER_MS = 2 ** 31 - 1;
/** How long the client may take over an answer that it holds: what it cannot read in a stream it drops, and waits for ever. */
const DIGESTION_MS = 2000;

/** Begins a talk: the client shakes hands, and keeps a session if the server gives it one. The client is loaded with the first talk. */
export async function join(way: Way, request: WireRequest, headers: Record<string, string>): Promise<Joined> {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const transport = new StreamableHTTPClientTransport(new URL(request.url), {
    fetch: (_, init) => overOurWire(talk, request.url, init ?? {}),
    requestInit: { headers },
  });
  const talk: Talk = { client: new Client({ name: "counterpart", version: "1" }), transport, way, last: undefined };
  const trouble = await inTime(talk, talk.client.connect(transport as Transport)).then(() => undefined, inWords);
  if (trouble === undefined) return { ok: true, talk };
  const { last } = talk;
  if (last && (!last.ok || last.response.status >= 400)) return { ok: false, sent: last };
  return { ok: false, sent: { ok: false, request, why: `the tool server cannot be joined: ${trouble}` } };
}

/** Sends one request in a talk. An answer with a result that the client cannot read says nothing about the tool. */
export async function converse(talk: Talk, way: Way, request: WireRequest): Promise<Sent> {
  const { ResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
  talk.way = way;
  talk.last = undefined;
  const { method, params } = messageOf(request);
  const asked = talk.client.request({ method, params }, ResultSchema, { timeout: NEVER_MS });
  const trouble = await inTime(talk, asked).then(() => undefined, inWords);
  const sent = talk.last as Sent | undefined; // set by the request that has just been sent
  if (!sent?.ok) return sent ?? { ok: false, request, why: `the official client sent nothing: ${trouble}` };
  const answer = answerIn(sent.response, sent.request);
  if (trouble !== undefined && answer && "result" in answer)
    return { ok: false, request: sent.request, why: `the official client cannot read the answer: ${trouble}` };
  if (!answer && isEventStream(sent.response.headers) && isResumable(bodyText(sent.response)))
    return { ok: false, request: sent.request, why: "the stream ended before the answer, and would go on in another" };
  return { ...sent, response: plainAnswer(sent.response, sent.request) };
}

/** Ends a talk, and its session on the server. What goes wrong here is nobody's finding. */
export async function leave(talk: Talk, way: Way): Promise<void> {
  talk.way = way;
  if (talk.transport.sessionId !== undefined) await talk.transport.terminateSession().catch(() => {});
  await talk.client.close().catch(() => {});
}

/** The client's `fetch`. Nobody waits for a server's own messages, so the stream for them is never opened. */
async function overOurWire(talk: Talk, url: string, { method = "GET", headers, body }: RequestInit): Promise<Response> {
  if (method === "GET") return new Response(null, { status: 405 });
  const { run, stage, wanted } = talk.way;
  const message = typeof body === "string" ? (JSON.parse(body) as { id?: unknown; method?: string }) : {};
  const bytes = typeof body === "string" ? { body: new TextEncoder().encode(body) } : {};
  talk.progress?.("the wire");
  const sent = await sendPatiently(run, stage, { method, url, headers: plainHeaders(headers), ...bytes }, wanted);
  const isReply = typeof body === "string" && message.method === undefined;
  if (!isReply) talk.last = sent; // the client answers a server's own requests while it waits for the answer to its
  if (!sent.ok) throw new Error(sent.why);
  talk.progress?.("the client");
  const { response, request } = sent;
  if (response.status < 400 && !isReply && isUnanswered(message.id, answerIn(response, request)?.id))
    throw new Error("this is no answer to the request");
  const empty = [204, 205, 304].includes(response.status);
  // the client takes a CR at the very end for half of a CR LF, and waits for the other half
  const text = isEventStream(response.headers) ? bodyText(response).replace(/\r\n?/g, "\n") : new Uint8Array(response.body);
  return new Response(empty ? null : text, { status: response.status, headers: response.headers });
}

/** Whether a request is left without an answer of its id. */
function isUnanswered(id: unknown, answered: unknown): boolean {
  return id !== undefined && ((answered ?? null) === null || Number(answered) !== Number(id));
}

/** What the client does, unless it keeps an answer for longer than anybody needs to read one. */
async function inTime<T>(talk: Talk, doing: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    talk.progress = (holds) => {
      clearTimeout(timer);
      if (holds === "the client") timer = setTimeout(() => reject(new Error("it makes nothing of it")), DIGESTION_MS);
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
