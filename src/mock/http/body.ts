import { escapeMessageLine } from "../../common/escape/visible.js";
import { contract } from "../../contract/load.js";
import type { Body } from "../../service/call.js";
import type { IncomingMessage } from "./messages.js";

const { maximum_bytes: limit, maximum_depth: depth } = contract.limits.body;

/** Maximum number of bytes of incomplete bodies in memory, over all connections. */
const maxBytesInFlight = 268_435_456;

/** A body up to this length is read even if that memory is full. */
const ownShare = contract.limits.body.maximum_bytes;

/**
 * After its limit, a body is read and discarded up to this many bytes, so that the connection can continue. Then the connection is closed.
 */
const drainMost = 67_108_864;

const utf8 = new TextDecoder("utf-8", { fatal: true });
const none: Body = { kind: "none" };

/** A number that JSON cannot write back: beyond all bounds, or a negative zero. A match begins at the first of its digits, so that none is read twice. */
const unsafeNumber = /-0(?!\d)|[eE]\+?\d{3}|(?<!\d)\d{300}/;

/** The result of reading a body. `bytes`: its length. `cut`: the rest of the body is unread. */
export interface ReceivedBody {
  body: Body;
  bytes: number;
  cut: boolean;
}

/** Receives the reason why a body ended early: the client closed the connection, or the mock has no memory for the body. */
type CutOff = (by: "client" | "memory") => void;

/**
 * Reads and decodes the body of a request, up to the limit of `spec/limits.json`. Calls `done` once, or `cutOff` if the body ends early.
 */
export function readBody(request: IncomingMessage, done: (receivedBody: ReceivedBody) => void, cutOff: CutOff = () => {}): void {
  readBytes(
    request,
    limit,
    (content, bytes, isCut) => {
      done({ body: typeof content === "string" ? { kind: "too-large", limit } : decode(request, content), bytes, cut: isCut });
    },
    cutOff,
  );
}

/** The bytes of a request, or why they are not kept: the body is too long, or all bodies together are. */
export type Content = Buffer | "too-large" | "no-room";

let inFlight = 0;

/**
 * Reads the bytes of a request. Keeps at most `max` bytes of it, and of all current requests at most the available memory. `cut`: the rest
 * is unread.
 */
export function readBytes(
  request: IncomingMessage,
  max: number,
  done: (content: Content, bytes: number, isCut: boolean) => void,
  cutOff: CutOff = () => {},
): void {
  let isDone = false;
  let isOverMemory = false;
  let chunks: Buffer[] = [];
  let [bytes, kept] = [0, 0];
  let why: "too-large" | "no-room" | null = null;
  const releaseMemory = () => {
    inFlight -= kept;
    [chunks, kept] = [[], 0];
  };
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > max) why = "too-large";
    else if (bytes > ownShare && inFlight + chunk.length > maxBytesInFlight) why ??= "no-room";
    if (why === null) {
      chunks.push(chunk);
      kept += chunk.length;
      inFlight += chunk.length;
      if (inFlight > 2 * maxBytesInFlight) {
        isOverMemory = true;
        request.destroy();
      }
      return;
    }
    releaseMemory();
    if (bytes <= max + drainMost) return;
    request.off("data", onData).off("end", onEnd).pause();
    isDone = true;
    done(why, bytes, true);
  };
  const onEnd = () => {
    const [first, second] = chunks;
    const content = why ?? (first && !second ? first : Buffer.concat(chunks));
    releaseMemory();
    isDone = true;
    done(content, bytes, false);
  };
  const onClose = () => {
    releaseMemory();
    if (!isDone) cutOff(isOverMemory ? "memory" : "client");
  };
  request.on("data", onData).on("end", onEnd).on("close", onClose);
}

/** Decodes JSON in UTF-8 up to the maximum depth. */
export function decodeJson(bytes: Uint8Array): Body {
  try {
    const text = utf8.decode(bytes);
    if (countLevels(bytes) > depth) return { kind: "malformed", problem: `it is nested deeper than ${depth} levels` };
    const value: unknown = JSON.parse(text);
    return unsafeNumber.test(text) ? { kind: "json", value, text } : { kind: "json", value };
  } catch (error) {
    return { kind: "malformed", problem: error instanceof SyntaxError ? error.message : "it is not UTF-8" };
  }
}

/** Returns the number of levels of JSON text. The text is not parsed, because parsing 400,000 levels takes long. */
function countLevels(bytes: Uint8Array): number {
  let [level, max, isQuoted] = [0, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === 0x22) isQuoted = !isQuoted;
    else if (isQuoted && byte === 0x5c) at++;
    else if (isQuoted) continue;
    else if (byte === 0x5b || byte === 0x7b) max = Math.max(max, ++level);
    else if (byte === 0x5d || byte === 0x7d) level--;
  }
  return max;
}

function decode(request: IncomingMessage, content: Buffer): Body {
  if (content.length === 0) return none;
  const wrong = buildTypeRefusal(request);
  return wrong === null
    ? decodeJson(content)
    : { kind: "wrong-type", contentType: escapeMessageLine(wrong), isEncoded: readCoding(request) !== "identity" };
}

/** Returns the content type if it is not plain `application/json`. Parameters such as a charset are allowed. */
function buildTypeRefusal(request: IncomingMessage): string | null {
  const stated = request.headers["content-type"] ?? "";
  const coding = readCoding(request);
  if (stated !== "application/json" && stated.replace(/;.*/s, "").trim().toLowerCase() !== "application/json") return stated;
  return coding === "identity" ? null : `${coding}-encoded`;
}

function readCoding({ headers }: IncomingMessage): string {
  return headers["content-encoding"] ?? "identity";
}
