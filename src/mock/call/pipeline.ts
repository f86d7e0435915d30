import { judgePending } from "../../client-report/calls.js";
import { connectionOf, connections, type Exchange } from "../../client-report/exchange.js";
import type { RouteName } from "../../contract/types.js";
import type { Reply } from "../../service/call.js";
import type { MockContext } from "../context.js";
import { applyFault } from "../faults/fault-applying.js";
import { type Fault, matchFault } from "../faults/faults.js";
import { type Answer, sendReply } from "../http/answer.js";
import type { ReceivedBody } from "../http/body.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { isDrawn, keepBody, keepHeaders, keepText, levelsFor, type MeterLevel, record } from "../journal/journal.js";
import { type VariedCall, writingOf } from "../variations/variations.js";
import { catchUp, startSkip } from "../worlds/clock.js";
import { append, delayCall, notifyAnswer, whenPersisted } from "../worlds/log/append.js";
import type { LogEntry, LoggedCall } from "../worlds/log/entry.js";
import type { WorldEntry } from "../worlds/worlds.js";
import { answerPreferred } from "./preference.js";

/** One request on its way to its answer: a call of the REST API, or a message to the tool server. */
export interface Call {
  context: MockContext;
  worldEntry: WorldEntry;
  surface: "rest" | "mcp";
  host: "api" | "app";
  request: IncomingMessage;
  response: ServerResponse;
  received: ReceivedBody;
  /** The caller's address. */
  ip: string | null;
  /** The id of the tool session that this request may open. The log keeps it, so that a replay opens the same session. */
  session?: string;
  /** The variations of this call; null in a world without variations. */
  varied: VariedCall | null;
}

/** The operation of a call, as its surface reads it. */
export interface Operation {
  /** The route, tool or JSON-RPC method, as faults and the journal name it; null for a path that does not exist. */
  name: string | null;
  /** Whether a fault or a Prefer header can change the answer. They cannot change the answer to a protocol message. */
  isOverridable: boolean;
  /** Whether a rate bucket can count the call. */
  isCounted: boolean;
  /** The route whose rate bucket counts the call; null if none does. */
  bucketRoute: RouteName | null;
  /** The note of the journal about an ignored part of the request. */
  note?: string | undefined;
  perform(): Reply;
  /** Computes the response. A fault can change how it is written. */
  respond(reply: Reply, fault: Fault | null): CallResponse;
}

/** A response that is ready to be sent. */
export interface CallResponse extends Answer {
  /** Sends a response that is not a plain HTTP answer. Returns the text of the body. */
  send?(now: number): string | undefined;
}

/** The result of a call at the time when it was computed. */
interface Outcome {
  reply: Reply;
  response: CallResponse;
  fault: Fault | null;
  forced: boolean;
  /** Whether the response is sent. It is not sent if a fault broke the connection or the client closed it. */
  isSent: boolean;
  /** World time in milliseconds since 1970. */
  now: number;
  /** The levels of the caller's rate buckets. */
  levels: readonly MeterLevel[] | null;
}

/** The client report judges this many calls together. */
const mostPending = 32;

const noHeaders = {};
const noVariations: readonly [] = [];

/**
 * Answers one call of the REST API or of the tool server. `read` finds the operation and refuses an invalid request. Returns a promise if
 * `read` does: only a handshake of the protocol is slow.
 */
export function handleCall(call: Call, read: () => Operation | Promise<Operation>): undefined | Promise<void> {
  catchUp(call.worldEntry.clock);
  const logEntry = logCall(call);
  const answer = (operation: Operation) => {
    const fault = faultOn(call, operation);
    applyOrPerform(call, operation, fault, (reply, forced) => {
      const response = operation.respond(reply, fault);
      const outcome = outcomeOf(call, operation, reply, response, fault, forced);
      whenPersisted(call.worldEntry.log, call.request, call.response, () => {
        const text = outcome.isSent ? send(call, outcome) : undefined;
        recordCall(call, operation, outcome, logEntry, text);
      });
      if (outcome.isSent) startSkip(call.worldEntry.clock, reply.headers["retry-after"]);
    });
  };
  const operation = read();
  if (operation instanceof Promise) return operation.then(answer);
  answer(operation);
  return undefined;
}

/** Adds the call to the log of its world before the call takes effect. */
function logCall({ worldEntry, host, request, response, received, ip, session }: Call): LogEntry {
  const { method = "", url = "", rawHeaders } = request;
  const call: LoggedCall = { host, method, url, headers: keepHeaders(rawHeaders), ip, received };
  if (response.destroyed) call.gone = true;
  if (session !== undefined) call.session = session;
  return append(worldEntry, { call }, received.bytes);
}

/** Returns the fault that applies to the call, or null. */
function faultOn({ worldEntry: { faults } }: Call, { isOverridable, name }: Operation): Fault | null {
  return faults.length === 0 || !isOverridable ? null : matchFault(faults, name);
}

/** Applies the fault or the client's preference, or performs the operation. */
function applyOrPerform(
  { worldEntry, surface, request, response }: Call,
  { name, isOverridable, perform }: Operation,
  fault: Fault | null,
  finish: (reply: Reply, forced: boolean) => void,
): void {
  const { authorization, prefer } = request.headers;
  if (!fault && (prefer === undefined || !isOverridable)) {
    finish(perform(), false);
    return;
  }
  const refused = { authorization, route: name, surface };
  if (fault) {
    const delay = (ms: number, go: () => void) => delayCall(worldEntry, response, ms, go);
    const subject = { world: worldEntry.world, response, ...refused };
    applyFault(fault, subject, { delay, perform, finish: (reply) => finish(reply, false) });
    return;
  }
  const { reply, forced } = answerPreferred(worldEntry.world, String(prefer), refused, perform);
  finish(reply, forced);
}

function outcomeOf(
  { worldEntry: { world }, surface, request, response }: Call,
  { bucketRoute }: Operation,
  reply: Reply,
  answer: CallResponse,
  fault: Fault | null,
  forced: boolean,
): Outcome {
  return {
    reply,
    response: answer,
    fault,
    forced,
    isSent: !fault?.socket && !response.destroyed,
    now: world.now,
    levels: levelsFor(world, request.headers.authorization, surface, bucketRoute),
  };
}

/** Sends the response. Returns the text of the body. */
function send({ request, response, received, varied }: Call, { response: answer, fault, now }: Outcome): string | undefined {
  if (answer.send) return answer.send(now);
  const writing = varied ? writingOf(varied, answer) : undefined;
  return sendReply(request, response, answer, now, { close: received.cut, bandwidth: fault?.bandwidth, writing });
}

/** Records the call in the journal, for the client report, and for the recorder of the log. */
function recordCall(
  { worldEntry, surface, request, received, varied }: Call,
  { name, isCounted, note }: Operation,
  { reply, response, fault, forced, isSent, now, levels }: Outcome,
  logEntry: LogEntry,
  text: string | undefined,
): void {
  const { method = "", url = "", rawHeaders, headers: sent } = request;
  const { journal, log } = worldEntry;
  const headers = isSent ? response.headers : noHeaders;
  const brokenBy = fault?.socket ? "A fault broke the connection." : "The client closed the connection before the answer.";
  const reason = isSent ? note : brokenBy;
  record(journal, {
    log: logEntry.number,
    at: now,
    method,
    url,
    headers: keepHeaders(rawHeaders),
    route: name,
    authorization: sent.authorization,
    body: keepBody(received.body, received.bytes),
    status: isSent ? reply.status : null,
    answer: { headers, text: keepText(text) },
    levels,
    drawn: isCounted && isDrawn(reply.rule.gate, reply.rule.code),
    rule: reply.rule,
    changes: reply.changes,
    forced,
    fault: fault?.id ?? null,
    variations: varied?.applied ?? noVariations,
    ...(reason !== undefined && { reason }),
  });
  const status = isSent ? response.status : null;
  noteForReport(worldEntry, request, received, {
    at: now,
    route: surface === "rest" ? (name as RouteName | null) : undefined,
    status,
    answerHeaders: response.headers,
    answer: response.body,
    overridden: forced || fault !== null,
    refusal: reply.rule.code,
  });
  if (log.hooks.onAnswer) notifyAnswer(log, logEntry, { status, headers, text });
}

/** The parts of an exchange that its answer determines. */
type AnsweredCall = Required<Pick<Exchange, "at" | "route" | "status" | "answerHeaders" | "answer" | "overridden" | "refusal">>;

/** Adds one exchange to the client report. The rules judge several exchanges together later. */
export function noteForReport(
  { journal, clock, tally, world }: WorldEntry,
  request: IncomingMessage,
  { body }: Pick<ReceivedBody, "body">,
  { at, route, status, answerHeaders, answer, overridden, refusal }: AnsweredCall,
): void {
  const { method = "", url = "", headers, socket } = request;
  tally.pending.push({
    number: journal.size > 0 ? journal.total : null,
    at,
    wall: performance.now(),
    connection: connections.get(socket) ?? connectionOf(socket),
    method,
    url,
    headers,
    body: body.kind === "json" ? body.value : undefined,
    hasBody: body.kind !== "none",
    route,
    status,
    answerHeaders,
    answer,
    overridden,
    refusal,
    skipsWait: clock.skip === "at-once",
    skipsPause: clock.mode === "frozen" || clock.skip === "at-once" || world.options.work !== "time",
  });
  if (tally.pending.length >= mostPending) judgePending(tally);
}
