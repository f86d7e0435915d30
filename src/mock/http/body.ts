import { contract } from "../../contract/load.js";
import type { Body } from "../../service/call.js";
import type { IncomingMessage } from "./messages.js";

const { maximum_bytes: limit, maximum_depth: depth } = contract.limits.body;

/** How many bytes of unfinished bodies are kept in memory, over all connections. */
const mostInFlight = 268_435_456;

/** A body is taken up to this length, however much the others fill. */
const ownShare = contract.limits.body.maximum_bytes;

/** How much beyond its limit a body is read and thrown away, so that the connection can go on, before it is cut. */
const drainMost = 67_108_864;

const utf8 = new TextDecoder("utf-8", { fatal: true });
const none: Body = { kind: "none" };

/** A number beyond all bounds, or a zero below zero, as it may stand in a text: JSON does not write what was read. */
const oddNumber = /-0(?!\d)|[eE]\+?\d{3}|\d{300}/;

/** What a body turned out to be; `bytes` is how long it was, `cut` that the rest of it is still on the wire. */
export interface ReceivedBody {
  body: Body;
  bytes: number;
  cut: boolean;
}

/** Gets the reason why a body ended early: the client closed the connection, or the mock has no memory for the body. */
type CutOff = (by: "client" | "memory") => void;

/** Reads and decodes a request's body, up to the limit of `spec/limits.json`. Calls `done` once, or `cutOff` if the body ends early. */
export function readBody(request: IncomingMessage, done: (received: ReceivedBody) => void, cutOff: CutOff = () => {}): void {
  readBytes(
    request,
    limit,
    (content, bytes, cut) => {
      done({ body: typeof content === "string" ? { kind: "too-large", limit } : decode(request, content), bytes, cut });
    },
    cutOff,
  );
}

/** A request's bytes, or why they are not kept: there are too many of them, or of others that are under way. */
export type Content = Buffer | "too-large" | "no-room";

let inFlight = 0;

/**
 * Reads a request's bytes and keeps no more than `most` of them in memory, and of all requests that are under way no more than there is room
 * for. `cut` says that the rest is still on the wire.
 */
export function readBytes(
  request: IncomingMessage,
  most: number,
  done: (content: Content, bytes: number, cut: boolean) => void,
  cutOff: CutOff = () => {},
): void {
  let isDone = false;
  let isOverMemory = false;
  let chunks: Buffer[] = [];
  let [bytes, kept] = [0, 0];
  let why: "too-large" | "no-room" | null = null;
  const letGo = () => {
    inFlight -= kept;
    [chunks, kept] = [[], 0];
  };
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > most) why = "too-large";
    else if (bytes > ownShare && inFlight + chunk.length > mostInFlight) why ??= "no-room";
    if (why === null) {
      chunks.push(chunk);
      kept += chunk.length;
      inFlight += chunk.length;
      if (inFlight > 2 * mostInFlight) {
        isOverMemory = true;
        request.destroy();
      }
      return;
    }
    letGo();
    if (bytes <= most + drainMost) return;
    request.off("data", onData).off("end", onEnd).pause();
    isDone = true;
    done(why, bytes, true);
  };
  const onEnd = () => {
    const [first, second] = chunks;
    const content = why ?? (first && !second ? first : Buffer.concat(chunks));
    letGo();
    isDone = true;
    done(content, bytes, false);
  };
  const onClose = () => {
    letGo();
    if (!isDone) cutOff(isOverMemory ? "memory" : "client");
  };
  request.on("data", onData).on("end", onEnd).on("close", onClose);
}

/** Decodes bytes that are meant to be JSON in UTF-8, no deeper than the limit. */
export function decodeJson(bytes: Uint8Array): Body {
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    if (isDeeper(value, depth)) return { kind: "malformed", problem: `it is nested deeper than ${depth} levels` };
    return oddNumber.test(text) ? { kind: "json", value, text } : { kind: "json", value };
  } catch (error) {
    return { kind: "malformed", problem: error instanceof SyntaxError ? error.message : "it is not UTF-8" };
  }
}

/** Tells whether JSON text can hold more than `most` values. Many short values need far more memory than their bytes. */
export function hasMoreValues(bytes: Uint8Array, most: number): boolean {
  if (bytes.length <= most) return false;
  let [values, quoted] = [1, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) quoted = !quoted;
    else if (quoted && byte === 0x5c) at++;
    else if (!quoted && (byte === 0x2c || byte === 0x5b || byte === 0x7b)) values++;
  }
  return values > most;
}

function decode(request: IncomingMessage, content: Buffer): Body {
  if (content.length === 0) return none;
  const wrong = wrongType(request);
  return wrong === null
    ? decodeJson(content)
    : { kind: "wrong-type", contentType: wrong, isEncoded: codingOf(request) !== "identity" };
}

/** The stated type when it is not plain `application/json`; parameters such as a charset are fine. */
function wrongType(request: IncomingMessage): string | null {
  const stated = request.headers["content-type"] ?? "";
  const coding = codingOf(request);
  if (stated.replace(/;.*/s, "").trim().toLowerCase() !== "application/json") return stated;
  return coding === "identity" ? null : `${coding}-encoded`;
}

function codingOf({ headers }: IncomingMessage): string {
  return headers["content-encoding"] ?? "identity";
}

function isDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== "object") return false;
  if (levels === 0) return true;
  for (const inner of Object.values(value)) if (isDeeper(inner, levels - 1)) return true;
  return false;
}
