import { parseRequestJson, readBodyText, type WireRequest, type WireResponse } from "../http/exchange.js";
import { readRpc } from "../http/mcp.js";

/** The effect of a write that the run has seen: the same read was answered differently after it. */
const EFFECT_PREFIX = "effect of ";
/** A write that was served, and the same read was answered equally before and after it. */
const NO_EFFECT_PREFIX = "no effect of ";

/**
 * Returns whether a run has seen a contrast: a success of the operation, or an effect. An effect is missing only if the run compared reads around
 * such writes, and no response differed.
 */
export function isContrastSeen(contrast: string, served: ReadonlySet<string>): boolean {
  if (served.has(contrast)) return true;
  return contrast.startsWith(EFFECT_PREFIX) && !served.has(NO_EFFECT_PREFIX + contrast.slice(EFFECT_PREFIX.length));
}

/** Returns why a pass does not count without this contrast. */
export function describeUnseen(contrast: string): string {
  if (!contrast.startsWith(EFFECT_PREFIX))
    return `no request for ${contrast} succeeded in this run, so the server may refuse every such request`;
  const operation = contrast.slice(EFFECT_PREFIX.length);
  return `no answer changed after ${operation} in this run, so the expected state may have been there before`;
}

/** A request and its response. */
interface ResponseNote {
  request: WireRequest;
  response: WireResponse;
  isTool: boolean;
  isRefused: boolean;
}

/** The writes of an execution, and the effects that its reads have shown. */
export interface WriteEffects {
  noteRead(responseNote: ResponseNote): void;
  noteWrite(operation: string, write: ResponseNote): void;
  /** Forgets all writes and answers, because an event or time may have changed the state. */
  forget(): void;
  /**
   * Returns what a read needs as evidence: a success of the last write if it was refused, else its effect. If `matches` holds for the response before
   * that write, nothing had to change, and a success is enough.
   */
  contrastsOfRead(
    read: Omit<ResponseNote, "response" | "isRefused">,
    matches?: (wireResponseBefore: WireResponse) => boolean,
  ): string[];
  /** Returns the effects that are missing since the last write: answers stayed equal, and no check has confirmed that they should. */
  missing(): string[];
}

/** The last write of an execution. `values`: the texts in its response, such as the id of a new resource. */
interface Write {
  operation: string;
  isServed: boolean;
  values: ReadonlySet<string>;
}

/** The last response to a read, how many writes were served before it, and the response before the last of these writes. */
interface KnownResponse {
  note: ResponseNote;
  writes: number;
  beforeWrite?: WireResponse | undefined;
}

/** Opens the write effects of one execution. Adds each comparison of a read before and after a write to `served`. */
export function openWriteEffects(served: Set<string>): WriteEffects {
  const knownResponses = new Map<string, KnownResponse>();
  /** The operations of all served writes, in order. */
  const writes: string[] = [];
  const missing = new Set<string>();
  let last: Write | undefined;
  return {
    noteRead(note) {
      const read = computeIdentity(note);
      const knownResponseBefore = knownResponses.get(read);
      knownResponses.delete(read);
      if (!isComparable(note)) return;
      const [changed, ...others] = new Set(writes.slice(knownResponseBefore?.writes));
      if (knownResponseBefore && changed !== undefined && others.length === 0) {
        if (isEqual(knownResponseBefore.note, note)) missing.add(NO_EFFECT_PREFIX + changed);
        else served.add(EFFECT_PREFIX + changed);
      }
      const isNew = !knownResponseBefore && !note.isRefused && last && listNamed(note).some((name) => last?.values.has(name));
      if (last && isNew) served.add(EFFECT_PREFIX + last.operation);
      const beforeWrite =
        knownResponseBefore && knownResponseBefore.writes < writes.length
          ? knownResponseBefore.note.response
          : knownResponseBefore?.beforeWrite;
      knownResponses.set(read, { note, writes: writes.length, beforeWrite });
    },
    noteWrite(operation, write) {
      for (const one of missing) served.add(one);
      missing.clear();
      if (!write.isRefused) writes.push(operation);
      last = { operation, isServed: !write.isRefused, values: listNewValues(write) };
    },
    forget() {
      knownResponses.clear();
      missing.clear();
      last = undefined;
    },
    contrastsOfRead(read, matches) {
      const wireResponseBefore = matches && knownResponses.get(computeIdentity(read))?.beforeWrite;
      const mustStay = wireResponseBefore !== undefined && matches?.(wireResponseBefore) === true;
      if (mustStay) missing.clear();
      if (!last) return [];
      return [last.isServed && !mustStay ? EFFECT_PREFIX + last.operation : last.operation];
    },
    missing: () => [...missing],
  };
}

/** The maximum size in bytes of a kept and compared body. Every trace has such bodies complete, so that a replay judges equally. */
const MAX_BODY_CHARACTERS = 16 * 1024;

function isComparable({ response }: ResponseNote): boolean {
  return response.body.length <= MAX_BODY_CHARACTERS && !response.isShortened;
}

function isEqual(responseNote: ResponseNote, otherResponseNote: ResponseNote): boolean {
  if (responseNote.isRefused !== otherResponseNote.isRefused) return false;
  return responseNote.isRefused
    ? responseNote.response.status === otherResponseNote.response.status
    : listShownStrings(responseNote) === listShownStrings(otherResponseNote);
}

/** Returns a text that equal reads of one caller share. */
function computeIdentity({ request, isTool }: Omit<ResponseNote, "response" | "isRefused">): string {
  const { method, url, headers } = request;
  const { authorization = "", cookie = "" }: Record<string, string> = headers;
  return [method, url, authorization, cookie, ...(isTool ? [JSON.stringify(readArguments(request))] : [])].join("\n");
}

function readArguments(request: WireRequest): unknown {
  const message = parseRequestJson(request) as { params?: { name?: unknown; arguments?: unknown } } | undefined;
  return [message?.params?.name, message?.params?.arguments];
}

/** Returns the content of a response. */
function listShownStrings({ response, isTool }: ResponseNote): string {
  if (!isTool) return readBodyText(response);
  const rpc = readRpc(response);
  return rpc.ok ? JSON.stringify(rpc.result) : rpc.what;
}

/** Returns the ids in the response to a served write that its request does not contain. */
function listNewValues(write: ResponseNote): ReadonlySet<string> {
  const { url, body } = write.request;
  if (write.isRefused || !isComparable(write) || (body && body.length > MAX_BODY_CHARACTERS)) return new Set();
  const sent = `${url} ${JSON.stringify(parseRequestJson(write.request)) ?? ""}`;
  return new Set(listStrings(listShownStrings(write)).filter((text) => isId(text) && !sent.includes(text)));
}

/** Returns the path segments, the arguments and the key of a request. */
function listNamed({ request }: ResponseNote): string[] {
  const { authorization = "" }: Record<string, string> = request.headers;
  const { pathname } = new URL(request.url);
  return [...pathname.split("/"), ...authorization.split(" "), ...listStrings(readArguments(request))].filter(isId);
}

/** Returns the strings in a JSON value, without field names. A string that is itself a JSON text counts as its value. */
function listStrings(value: unknown): string[] {
  const found: string[] = [];
  const open = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const inner = typeof one === "string" ? parseContainer(one) : one;
    if (typeof inner === "object" && inner !== null) open.push(...Object.values(inner).filter((each) => each !== undefined));
    else if (typeof one === "string") found.push(one);
  }
  return found;
}

/** Returns the object or the array of a JSON text; undefined for any other text. */
function parseContainer(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined; // most strings are not JSON, and an exception for each would be slow
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether a text may be the id of a resource: it has a digit, or it is long and neither a word nor a sentence. */
function isId(text: string): boolean {
  if (text.length < MIN_ID_CHARACTERS || /\s/.test(text)) return false;
  return (
    /\d/.test(text) ||
    (text.length >= MIN_ID_CHARACTERS_WITHOUT_DIGIT && !/^([A-Z]?[a-z]+|[A-Z]+)([_.-]([a-z]+|[A-Z]+))*$/.test(text))
  );
}

const MIN_ID_CHARACTERS = 4;
const MIN_ID_CHARACTERS_WITHOUT_DIGIT = 8;
