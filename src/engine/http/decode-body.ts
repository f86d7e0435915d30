import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import type { Failure } from "./exchange.js";

/** The bytes of a body, decompressed, or why there are none. */
export type Body = { bytes: Buffer; failure?: never } | { failure: Failure; bytes?: never };

const MOST_LEVELS = 1000;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** A body as it was before its content codings, which are undone from the last to the first. */
export function decodeBody(bytes: Buffer, contentEncoding: string, maxBytes: number): Body {
  const codings = contentEncoding
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (bytes.length === 0) return { bytes };
  try {
    const plain = codings.reduceRight((coded, coding) => decodeOnce(coded, coding, maxBytes), bytes);
    return isTooDeep(plain)
      ? { failure: { kind: "too-large", message: `the answer has more than ${MOST_LEVELS} levels` } }
      : { bytes: plain };
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") return { failure: tooLarge(maxBytes) };
    return { failure: { kind: "protocol", message: `the body is not what content-encoding "${contentEncoding}" says` } };
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
    case "deflate": // RFC 9110 8.4.1.2: the zlib format, whose first byte ends in 8; some servers send only what is in it
      return ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
    default:
      throw new Error(`${coding} is not known`);
  }
}

/**
 * Whether brackets stand deeper in each other than anybody can follow, those within strings apart: what goes through JSON of many thousand
 * levels runs out of stack.
 */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (quoted && byte === BACKSLASH) at++;
    else if (byte === QUOTE) quoted = !quoted;
    else if (!quoted && (byte === 0x5b || byte === 0x7b)) depth++;
    else if (!quoted && (byte === 0x5d || byte === 0x7d)) depth--;
    if (depth > MOST_LEVELS) return true;
  }
  return false;
}

/** Why there is no answer where it is longer than wanted. */
export function tooLarge(maxBytes: number): Failure {
  return { kind: "too-large", message: `the answer is larger than ${maxBytes} bytes` };
}
