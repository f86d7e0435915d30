import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import type { Failure } from "./exchange.js";

/** The decompressed bytes of a body, or the reason why they cannot be read. */
export type Body = { bytes: Buffer; failure?: never } | { failure: Failure; bytes?: never };

const MAX_DEPTH = 1000;
const [QUOTE, BACKSLASH, LIST, OBJECT] = [0x22, 0x5c, 0x5b, 0x7b];

/** Decodes a body, from its last content coding to its first. Rejects JSON deeper than 1000 levels and more than `maxBytes` bytes. */
export function decodeBody(bytes: Buffer, contentEncoding: string, maxBytes: number): Body {
  const codings = contentEncoding
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (bytes.length === 0) return { bytes };
  try {
    const decoded = codings.reduceRight((encoded, coding) => decodeOnce(encoded, coding, maxBytes), bytes);
    return isTooDeep(decoded)
      ? { failure: { kind: "too-large", message: `the answer has more than ${MAX_DEPTH} levels` } }
      : { bytes: decoded };
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") return { failure: createTooLarge(maxBytes) };
    return {
      failure: { kind: "protocol", message: `the body cannot be decoded with its content-encoding "${contentEncoding}"` },
    };
  }
}

function decodeOnce(bytes: Buffer, coding: string, maxOutputLength: number): Buffer {
  const options = { maxOutputLength };
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return gunzipSync(bytes, options);
    case "br":
      return brotliDecompressSync(bytes, options);
    case "deflate": // RFC 9110 8.4.1.2: the zlib format, whose first byte ends in 8. Some servers send raw deflate data.
      return ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
    default:
      throw new Error(`unknown content coding ${coding}`);
  }
}

/** Tells whether brackets outside strings are nested too deeply. Code that walks JSON of many thousand levels overflows the stack. */
function isTooDeep(bytes: Buffer): boolean {
  return hasManyBrackets(bytes) && isDeep(bytes);
}

/** Tells whether a body has enough brackets to be nested too deeply. It is much faster than computing the depth. */
function hasManyBrackets(bytes: Buffer): boolean {
  let count = 0;
  for (const bracket of [LIST, OBJECT])
    for (let at = bytes.indexOf(bracket); at >= 0; at = bytes.indexOf(bracket, at + 1)) if (++count > MAX_DEPTH) return true;
  return false;
}

function isDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isQuoted && byte === BACKSLASH) at++;
    else if (byte === QUOTE) isQuoted = !isQuoted;
    else if (!isQuoted && (byte === LIST || byte === OBJECT)) depth++;
    else if (!isQuoted && (byte === 0x5d || byte === 0x7d)) depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Returns the failure for a response that is longer than `maxBytes`. */
export function createTooLarge(maxBytes: number): Failure {
  return { kind: "too-large", message: `the answer is larger than ${maxBytes} bytes` };
}
