import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Stage } from "../target/stage.js";
import type { WireRequest } from "../wire/exchange.js";
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
}

/** A talk that has begun, or how the tool server would not begin one. */
export type Joined = { ok: true; talk: Talk } | { ok: false; sent: Sent };

/** The longest delay a timer takes: deadlines are the wire's, never the client's. */
const NEVER_MS = 2 ** 31 - 1;

/** Begins a talk: the client shakes hands, and keeps a session if the server gives it one. The client is loaded with the first talk. */
export async function join(way: Way, request: WireRequest, headers: Record<string, string>): Promise<Joined> {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const transport = new StreamableHTTPClientTransport(new URL(request.url), {
    fetch: (_, init) => overOurWire(talk, request.url, init ?? {}),
    requestInit: { headers },
  });
  const talk: Talk = { client: new Client({ name: "counterpart", version: "1" }), transport, way, last: undefined };
  const trouble = await talk.client.connect(transport as Transport).then(() => undefined, inWords);
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
  const trouble = await talk.client
    .request({ method, params }, ResultSchema, { timeout: NEVER_MS })
    .then(() => undefined, inWords);
  const sent = talk.last as Sent | undefined; // set by the request that has just been sent
  if (!sent?.ok) return sent ?? { ok: false, request, why: `the official client sent nothing: ${trouble}` };
  const answer = answerIn(sent.response);
  if (trouble !== undefined && answer && "result" in answer)
    return { ok: false, request: sent.request, why: `the official client cannot read the answer: ${trouble}` };
  return { ...sent, response: plainAnswer(sent.response) };
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
  const text = typeof body === "string" ? { body: new TextEncoder().encode(body) } : {};
  const sent = await sendPatiently(run, stage, { method, url, headers: plainHeaders(headers), ...text }, wanted);
  talk.last = sent;
  if (!sent.ok) throw new Error(sent.why);
  const { response } = sent;
  const unanswered = response.status < 400 && isUnanswered(body, answerIn(response)?.id);
  if (unanswered) throw new Error("this is no answer to the request");
  const empty = [204, 205, 304].includes(response.status);
  return new Response(empty ? null : new Uint8Array(response.body), { status: response.status, headers: response.headers });
}

/** Whether a request is left without an answer of its id, for which the client would wait for ever. */
function isUnanswered(body: RequestInit["body"], answered: unknown): boolean {
  const { id } = (typeof body === "string" ? JSON.parse(body) : {}) as { id?: unknown };
  return id !== undefined && Number(answered) !== Number(id);
}

function plainHeaders(headers: RequestInit["headers"]): Record<string, string> {
  return Object.fromEntries(new Headers(headers));
}

function inWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
