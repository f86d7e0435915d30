import { bodyText, requestJson, type WireRequest, type WireResponse } from "../http/exchange.js";
import { readRpc } from "../http/mcp.js";

/** The effect of a write that the run has seen: the same read was answered differently after it. */
const EFFECT = "effect of ";
/** A write that was served, and the same read was answered equally before and after it. */
const NO_EFFECT = "no effect of ";

/**
 * Returns whether a run has seen a contrast: a success of the operation, or an effect. An effect is missing only if the run compared reads around
 * such writes, and no answer differed.
 */
export function isContrastSeen(contrast: string, served: ReadonlySet<string>): boolean {
  if (served.has(contrast)) return true;
  return contrast.startsWith(EFFECT) && !served.has(NO_EFFECT + contrast.slice(EFFECT.length));
}

/** Returns why a pass is no evidence without this contrast. */
export function unseenText(contrast: string): string {
  if (!contrast.startsWith(EFFECT))
    return `no request for ${contrast} succeeded in this run, so the server may refuse every such request`;
  const operation = contrast.slice(EFFECT.length);
  return `no answer changed after ${operation} in this run, so the expected state may have been there before`;
}

/** A request and its answer. */
interface AnswerNote {
  request: WireRequest;
  response: WireResponse;
  isTool: boolean;
  isRefused: boolean;
}

/** The writes of an execution, and the effects that its reads have shown. */
export interface WriteEffects {
  noteRead(read: AnswerNote): void;
  noteWrite(operation: string, write: AnswerNote): void;
  /** Forgets all writes and answers, because an event or time may have changed the state. */
  forget(): void;
  /**
   * Returns what a read needs as evidence: a success of the last write if it was refused, else its effect. A refused read after a refused write
   * needs neither, because it does not show that the write changed nothing.
   */
  contrastsOfRead(isRefused: boolean): string[];
}

/** The last write of an execution. `values`: the texts in its answer, such as the id of a new resource. */
interface Write {
  operation: string;
  isServed: boolean;
  values: ReadonlySet<string>;
}

/** Opens the write effects of one execution. Adds each comparison of a read before and after a write to `served`. */
export function openWriteEffects(served: Set<string>): WriteEffects {
  /** The last answer to each read, and how many writes were served before it. */
  const answered = new Map<string, { answer: string; writes: number }>();
  /** The operations of all served writes, in order. */
  const writes: string[] = [];
  let last: Write | undefined;
  return {
    noteRead({ request, response, isTool, isRefused }) {
      const read = identityOf(request, isTool);
      const answer = isRefused ? `refused with ${response.status}` : shownBy(response, isTool);
      const before = answered.get(read);
      const [changed, ...others] = new Set(writes.slice(before?.writes));
      if (before && changed !== undefined && others.length === 0)
        served.add((before.answer === answer ? NO_EFFECT : EFFECT) + changed);
      const isNew = !before && !isRefused && namedIn(request).some((name) => last?.values.has(name));
      if (last && isNew) served.add(EFFECT + last.operation);
      answered.set(read, { answer, writes: writes.length });
    },
    noteWrite(operation, { request, response, isTool, isRefused }) {
      if (!isRefused) writes.push(operation);
      const sent = `${request.url} ${JSON.stringify(requestJson(request)) ?? ""}`;
      const values = isRefused ? [] : textsIn(shownBy(response, isTool)).filter((text) => !sent.includes(text));
      last = { operation, isServed: !isRefused, values: new Set(values) };
    },
    forget() {
      answered.clear();
      last = undefined;
    },
    contrastsOfRead(isRefused) {
      if (!last || (isRefused && !last.isServed)) return [];
      return [last.isServed ? EFFECT + last.operation : last.operation];
    },
  };
}

/** Returns a text that equal reads of one caller share. */
function identityOf(request: WireRequest, isTool: boolean): string {
  const { method, url, headers } = request;
  const { authorization = "", cookie = "" }: Record<string, string> = headers;
  return [method, url, authorization, cookie, ...(isTool ? [JSON.stringify(argumentsOf(request))] : [])].join("\n");
}

function argumentsOf(request: WireRequest): unknown {
  const message = requestJson(request) as { params?: { name?: unknown; arguments?: unknown } } | undefined;
  return [message?.params?.name, message?.params?.arguments];
}

/** Returns the content of an answer. */
function shownBy(response: WireResponse, isTool: boolean): string {
  if (!isTool) return bodyText(response);
  const rpc = readRpc(response);
  return rpc.ok ? JSON.stringify(rpc.result) : rpc.what;
}

/** Returns the path segments, the arguments and the key of a request. */
function namedIn(request: WireRequest): string[] {
  const { authorization = "" }: Record<string, string> = request.headers;
  const { pathname } = new URL(request.url);
  return [...pathname.split("/"), ...authorization.split(" "), ...textsIn(JSON.stringify(argumentsOf(request)))];
}

/** Returns the strings in a JSON text that are long enough to be the id of a resource. Strings in strings count too. */
function textsIn(text: string): string[] {
  return (text.match(/[^"\\]+/g) ?? []).filter((one) => one.length >= SHORTEST_ID);
}

const SHORTEST_ID = 4;
