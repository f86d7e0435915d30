import { createHash } from "node:crypto";

/** The kept part of a long body, with the length and digest of the whole body. */
export interface ShortBody {
  bytes: Uint8Array;
  whole: WholeBody;
}

/** The length and digest of a body that is kept in part. */
export interface WholeBody {
  bytes: number;
  sha256: string;
}

const MAX_STRING_CHARACTERS = 1024;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Shortens a body that is longer than `longest` bytes; returns undefined for other bodies. Replaces long JSON strings by their lengths, so that the rest
 * can still be judged. If that is not enough, keeps the beginning up to a blank or a quote, so that no secret is cut in two.
 */
export function shorten(body: Uint8Array, longest: number): ShortBody | undefined {
  if (body.length <= longest) return undefined;
  const whole = { bytes: body.length, sha256: createHash("sha256").update(body).digest("hex") };
  const text = shortenStrings(readText(body));
  return { bytes: new TextEncoder().encode(text.length <= longest ? text : cutText(text, longest)), whole };
}

/** Returns the body as text; an empty text for bytes that are not UTF-8. */
function readText(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    return "";
  }
}

function shortenStrings(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let open = text.indexOf('"'); open >= 0; ) {
    const close = findEndOfString(text, open);
    if (close < 0) break;
    if (close - open > MAX_STRING_CHARACTERS) {
      parts.push(text.slice(from, open), `"(${close - open - 1} characters)"`);
      from = close + 1;
    }
    open = text.indexOf('"', close + 1);
  }
  return parts.join("") + text.slice(from);
}

/** Returns the index of the quote that ends a string; -1 without one. */
function findEndOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let backslashes = 0;
    while (text[close - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return close;
  }
  return -1;
}

function cutText(text: string, longest: number): string {
  const beginning = text.slice(0, longest);
  return beginning.slice(0, beginning.search(/[\s"][^\s"]*$/) + 1);
}
