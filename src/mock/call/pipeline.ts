import { judgePending } from "../../client-report/calls.js";
import { connections, type Exchange, findConnection } from "../../client-report/exchange.js";
import type { RouteName } from "../../contract/types.js";
import type { ServiceResponse } from "../../service/call.js";
import type { MockContext } from "../context.js";
import { applyFault } from "../faults/fault-applying.js";
import { type Fault, matchFault } from "../faults/faults.js";
import type { ReceivedBody } from "../http/body.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import { type ResponseParts, sendResponse } from "../http/response.js";
import { isCharged, keepBody, keepHeaders, keepText, keepUrl, type MeterLevel, readLevels, record } from "../journal/journal.js";
import { chooseWriting, type VariedCall } from "../variations/variations.js";
import { catchUp, startSkip } from "../worlds/clock.js";
import { append, delayCall, notifyResponse, runWhenPersisted } from "../worlds/log/append.js";
import type { LogEntry, LoggedCall } from "../worlds/log/entry.js";
import type { WorldEntry } from "../worlds/worlds.js";
import { respondAsPreferred } from "./preference.js";

/** One request on its way to its response: a call of the REST API, or a message to the tool server. */
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
  /** Whether a fault or a Prefer header can change the response. They cannot change the response to a protocol message. */
  isOverridable: boolean;
  /** Whether a rate bucket can count the call. */
  isCounted: boolean;
  /** The route whose rate bucket counts the call; null if none does. */
  bucketRoute: RouteName | null;
  /** The note of the journal about an ignored part of the request. */
  note?: string | undefined;
  perform(): ServiceResponse;
  /** Computes the response. A fault can change how it is written. */
  respond(response: ServiceResponse, fault: Fault | null): CallResponse;
}

/** A response that is ready to be sent. */
export interface CallResponse extends ResponseParts {
  /** Sends a response that is not a plain HTTP answer. Returns the text of the body. */
  send?(now: number): string | undefined;
}

/** The result of a call at the time when it was computed. */
interface Outcome {
  reply: ServiceResponse;
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
const maxPendingCalls = 32;

const emptyHeaders = {};
const noVariations: readonly [] = [];

/**
 * Answers one call of the REST API or of the tool server. `read` finds the operation and refuses an invalid request. Returns a promise if
 * `read` does: only a handshake of the protocol is slow.
 */
export function handleCall(call: Call, read: () => Operation | Promise<Operation>): undefined | Promise<void> {
  catchUp(call.worldEntry.clock);
  const logEntry = logCall(call);
  const response = (operation: Operation) => {
    const fault = findFault(call, operation);
    applyOrPerform(call, operation, fault, (serviceResponse, forced) => {
      const response = operation.respond(serviceResponse, fault);
      const outcome = describeOutcome(call, operation, serviceResponse, response, fault, forced);
      runWhenPersisted(call.worldEntry.log, call.request, call.response, () => {
        const text = outcome.isSent ? send(call, outcome) : undefined;
        recordCall(call, operation, outcome, logEntry, text);
      });
      if (outcome.isSent) startSkip(call.worldEntry.clock, serviceResponse.headers["retry-after"]);
    });
  };
  const operation = read();
  if (operation instanceof Promise) return operation.then(response);
  response(operation);
  return undefined;
}

/** Adds the call to the log of its world before the call takes effect. */
function logCall({ worldEntry, host, request, response, received, ip, session }: Call): LogEntry {
  const { method = "", url = "", rawHeaders } = request;
  const call: LoggedCall = { host, method, url: keepUrl(url), headers: keepHeaders(rawHeaders), ip, received };
  if (response.destroyed) call.gone = true;
  if (session !== undefined) call.session = session;
  return append(worldEntry, { call }, received.bytes);
}

/** Returns the fault that applies to the call, or null. */
function findFault({ worldEntry: { faults } }: Call, { isOverridable, name }: Operation): Fault | null {
  return faults.length === 0 || !isOverridable ? null : matchFault(faults, name);
}

/** Applies the fault or the client's preference, or performs the operation. */
function applyOrPerform(
  { worldEntry, surface, request, response }: Call,
  { name, isOverridable, perform }: Operation,
  fault: Fault | null,
  finish: (serviceResponse: ServiceResponse, forced: boolean) => void,
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
    applyFault(fault, subject, { delay, perform, finish: (serviceResponse) => finish(serviceResponse, false) });
    return;
  }
  const { reply: operationResult, forced } = respondAsPreferred(worldEntry.world, String(prefer), refused, perform);
  finish(operationResult, forced);
}

function describeOutcome(
  { worldEntry: { world }, surface, request, response }: Call,
  { bucketRoute }: Operation,
  serviceResponse: ServiceResponse,
  serverResponse: CallResponse,
  fault: Fault | null,
  forced: boolean,
): Outcome {
  return {
    reply: serviceResponse,
    response: serverResponse,
    fault,
    forced,
    isSent: !fault?.socket && !response.destroyed,
    now: world.now,
    levels: readLevels(world, request.headers.authorization, surface, bucketRoute),
  };
}

/** Sends the response. Returns the text of the body. */
function send(
  { request, response, received, varied }: Call,
  { response: serverResponse, fault, now }: Outcome,
): string | undefined {
  if (serverResponse.send) return serverResponse.send(now);
  const writing = varied ? chooseWriting(varied, serverResponse) : undefined;
  return sendResponse(request, response, serverResponse, now, { close: received.cut, bandwidth: fault?.bandwidth, writing });
}

/** Records the call in the journal, for the client report, and for the recorder of the log. */
function recordCall(
  { worldEntry, surface, request, received, varied }: Call,
  { name, isCounted, note }: Operation,
  { reply: serviceResponse, response, fault, forced, isSent, now, levels }: Outcome,
  logEntry: LogEntry,
  text: string | undefined,
): void {
  const { method = "", url = "", rawHeaders, headers: sent } = request;
  const { journal, log } = worldEntry;
  const headers = isSent ? response.headers : emptyHeaders;
  const breakReason = fault?.socket ? "A fault broke the connection." : "The client closed the connection before the answer.";
  const reason = isSent ? note : breakReason;
  record(journal, {
    log: logEntry.number,
    at: now,
    method,
    url: keepUrl(url),
    headers: keepHeaders(rawHeaders),
    route: name,
    authorization: sent.authorization,
    body: keepBody(received.body, received.bytes),
    status: isSent ? serviceResponse.status : null,
    answer: { headers, text: keepText(text) },
    levels,
    drawn: isCounted && isCharged(serviceResponse.rule.gate, serviceResponse.rule.code),
    rule: serviceResponse.rule,
    changes: serviceResponse.changes,
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
    responseHeaders: response.headers,
    answer: response.body,
    overridden: forced || fault !== null,
    refusal: serviceResponse.rule.code,
  });
  if (log.hooks.onResponse) notifyResponse(log, logEntry, { status, headers, text });
}

/** The parts of an exchange that its response determines. */
type CallWithResponse = Required<
  Pick<Exchange, "at" | "route" | "status" | "responseHeaders" | "answer" | "overridden" | "refusal">
>;

/** Adds one exchange to the client report. The rules judge several exchanges together later. */
export function noteForReport(
  { journal, clock, tally, world }: WorldEntry,
  request: IncomingMessage,
  { body }: Pick<ReceivedBody, "body">,
  { at, route, status, responseHeaders, answer: response, overridden, refusal }: CallWithResponse,
): void {
  const { method = "", url = "", headers, socket } = request;
  tally.pending.push({
    number: journal.size > 0 ? journal.total : null,
    at,
    wall: performance.now(),
    connection: connections.get(socket) ?? findConnection(socket),
    method,
    url,
    headers,
    body: body.kind === "json" ? body.value : undefined,
    hasBody: body.kind !== "none",
    route,
    status,
    responseHeaders,
    answer: response,
    overridden,
    refusal,
    skipsWait: clock.skip === "at-once",
    skipsPause: clock.mode === "frozen" || clock.skip === "at-once" || world.options.work !== "time",
  });
  if (tally.pending.length >= maxPendingCalls) judgePending(tally);
}
