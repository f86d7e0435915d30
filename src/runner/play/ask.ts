import { isRecord } from "../scenario/interpolate.js";
import type { WireRequest } from "../wire/exchange.js";
import { everythingSaid, isToolError, messageOf, plainAnswer, readRpc, withMessage } from "../wire/mcp.js";
import { pause } from "./clock.js";
import type { Play } from "./play.js";
import { MOST_BYTES_TOGETHER, type Sent, sendPatiently } from "./send.js";
import { converse, join, leave } from "./talk.js";

const MOST_TRIES = 4;
const MOST_PAGES = 50;

/** Asks the tool server by the official client, patiently; a list is read to its last page. The answer holds the JSON-RPC message and nothing else. */
export async function ask(play: Play, request: WireRequest, wanted: ReadonlySet<number>): Promise<Sent> {
  const { method, params } = messageOf(request);
  const [subject, verb] = method.split("/");
  if (verb !== "list") return askOnce(play, request, wanted);
  const items: unknown[] = [];
  let page = request;
  let bytes = 0;
  for (let number = 1; number <= MOST_PAGES; number++) {
    const sent = await askOnce(play, page, wanted);
    const rpc = sent.ok ? readRpc(sent.response) : undefined;
    const found = rpc?.ok && isRecord(rpc.result) ? rpc.result[subject as string] : undefined;
    if (!sent.ok || !rpc?.ok || !isRecord(rpc.result) || !Array.isArray(found)) return sent;
    bytes += sent.response.body.length;
    if (bytes > MOST_BYTES_TOGETHER)
      return { ok: false, request, why: `the pages are larger than ${MOST_BYTES_TOGETHER} bytes together` };
    for (const item of found) items.push(item);
    const { nextCursor, ...rest } = rpc.result;
    if (nextCursor === undefined || nextCursor === null) {
      const whole = withMessage(request, { id: 1, result: { ...rest, [subject as string]: items } }).body;
      return { ...sent, exchanges: number, response: { ...sent.response, body: whole ?? sent.response.body } };
    }
    page = withMessage(request, { id: 1, method, params: { ...params, cursor: nextCursor } });
  }
  return { ok: false, request, why: `the list did not end within ${MOST_PAGES} pages` };
}

/** Sends a raw message as it stands, by no client. Where the server wants a session the message is sent again in the play's own. */
export async function askRaw(play: Play, request: WireRequest, wanted: ReadonlySet<number>): Promise<Sent> {
  const sent = await sendPatiently(play.run, play.stage, request, wanted);
  if (!sent.ok) return sent;
  const sessionWanted =
    sent.response.status === 400 && /session|initiali[sz]/i.test(new TextDecoder().decode(sent.response.body));
  const joined = sessionWanted ? await talkFor(play, request, wanted) : undefined;
  const session = joined?.ok ? joined.talk.transport : undefined;
  if (session?.sessionId === undefined) return { ...sent, response: plainAnswer(sent.response, sent.request) };
  const headers = {
    "mcp-session-id": session.sessionId,
    "mcp-protocol-version": session.protocolVersion ?? "",
    ...request.headers,
  };
  const again = await sendPatiently(play.run, play.stage, { ...request, headers }, wanted);
  return again.ok ? { ...again, response: plainAnswer(again.response, again.request) } : again;
}

/** Ends all talks of a play. */
export async function endTalks({ talks, run, stage }: Play): Promise<void> {
  await Promise.all([...talks.values()].map((talk) => leave(talk, { run, stage, wanted: new Set([429, 503]) })));
  talks.clear();
}

/** One request in the talk of its credentials. A session that the server has forgotten is opened anew, once; a rate refusal that nobody asked for is waited out. */
async function askOnce(play: Play, request: WireRequest, wanted: ReadonlySet<number>): Promise<Sent> {
  const { run, stage } = play;
  let sent: Sent = { ok: false, request, why: "nothing was sent" };
  for (let attempt = 1; attempt <= MOST_TRIES; attempt++) {
    const joined = await talkFor(play, request, wanted);
    if (!joined.ok) return joined.sent;
    sent = await converse(joined.talk, { run, stage, wanted }, request);
    const forgotten = sent.ok && sent.response.status === 404 && joined.talk.transport.sessionId !== undefined;
    if (forgotten && attempt === 1) {
      play.talks.delete(talkName(request));
      continue;
    }
    if (!sent.ok || wanted.has(429) || !isRateRefusal(sent)) return sent;
    const waited = await pause(run, stage, stage.target.timing.rateMinuteSeconds, "the rate of tool calls");
    if (!waited.ok) return { ok: false, request: sent.request, why: `the tool server refused for its rate, and ${waited.why}` };
  }
  return { ok: false, request: sent.request, why: "the tool server refused for its rate, however long the wait" };
}

async function talkFor(play: Play, request: WireRequest, wanted: ReadonlySet<number>) {
  const name = talkName(request);
  const known = play.talks.get(name);
  if (known) return { ok: true as const, talk: known };
  const joined = await join({ run: play.run, stage: play.stage, wanted }, request, ownHeaders(request));
  if (joined.ok) play.talks.set(name, joined.talk);
  return joined;
}

function talkName(request: WireRequest): string {
  return JSON.stringify([request.url, ownHeaders(request)]);
}

/** The headers of a request that are not the client's own business. */
function ownHeaders({ headers }: WireRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(accept|content-type|mcp-.*)$/.test(name)));
}

/** MCP-RATE-SHARED: the form of a rate refusal is not said, so one inside a tool error or a JSON-RPC error counts as well as a 429. */
function isRateRefusal({ response }: Sent & { ok: true }): boolean {
  const rpc = readRpc(response);
  const refusal = rpc.ok ? isToolError(rpc.result) && everythingSaid(rpc.result) : rpc.what;
  return refusal !== false && refusal.includes("rate_limit_qps");
}
