import type { IncomingMessage } from "node:http";
import { decodeBody } from "../engine/http/decode-body.js";
import type { WireResponse } from "../engine/http/exchange.js";
import { maxKeptBytes, type Passage } from "./forward.js";

/** A body with more values is not judged: judging and masking take about 7 microseconds for each value. */
const maxValues = 10_000;

/** Returns a response without its content codings. Returns null when it is too long, has too many values, or cannot be decoded. */
export function createWireResponse(
  { method }: Pick<IncomingMessage, "method">,
  { status, headers, body }: NonNullable<Passage["answer"]>,
): WireResponse | null {
  if (body === null) return null;
  if (method === "HEAD") return { status, headers, body };
  const plainBody = decodeBody(body, headers["content-encoding"] ?? "", maxKeptBytes);
  return plainBody.bytes && !hasTooManyValues(plainBody.bytes) ? { status, headers, body: plainBody.bytes } : null;
}

/** Returns whether a text has more values than `maxValues` if it is JSON, or holds JSON that has no line break in a string. */
function hasTooManyValues(bytes: Uint8Array): boolean {
  const [lineFeed, quote, comma, list, backslash, object] = [0x0a, 0x22, 0x2c, 0x5b, 0x5c, 0x7b];
  let count = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at];
    if (code === lineFeed) isInString = false;
    else if (code === quote) isInString = !isInString;
    else if (isInString && code === backslash) at++;
    else if (!isInString && (code === comma || code === list || code === object)) count++;
  }
  return count > maxValues;
}
