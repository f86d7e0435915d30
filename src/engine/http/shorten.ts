import { createHash } from "node:crypto";

/** What is kept of a long body, and what the whole was. */
export interface ShortBody {
  bytes: Uint8Array;
  whole: WholeBody;
}

/** A body that is kept in part: its length, and the digest of its bytes. */
export interface WholeBody {
  bytes: number;
  sha256: string;
}

const LONGEST_STRING = 1024;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * What is kept of a body that is longer than `longest` bytes; undefined for one that is not. Of JSON with long strings their lengths stand in
 * their place, so that all else can be judged still. Of anything else the beginning is kept, up to a blank or a quote: no secret is cut in two.
 */
export function shorten(body: Uint8Array, longest: number): ShortBody | undefined {
  if (body.length <= longest) return undefined;
  const whole = { bytes: body.length, sha256: createHash("sha256").update(body).digest("hex") };
  const text = withoutLongStrings(textOf(body));
  return { bytes: new TextEncoder().encode(text.length <= longest ? text : beginningOf(text, longest)), whole };
}

/** Bytes that are no text are not kept. */
function textOf(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    return "";
  }
}

function withoutLongStrings(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let open = text.indexOf('"'); open >= 0; ) {
    const close = endOfString(text, open);
    if (close < 0) break;
    if (close - open > LONGEST_STRING) {
      parts.push(text.slice(from, open), `"(${close - open - 1} characters)"`);
      from = close + 1;
    }
    open = text.indexOf('"', close + 1);
  }
  return parts.join("") + text.slice(from);
}

/** Where the quote is that ends a string; -1 where there is none. */
function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let backslashes = 0;
    while (text[close - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return close;
  }
  return -1;
}

function beginningOf(text: string, longest: number): string {
  const beginning = text.slice(0, longest);
  return beginning.slice(0, beginning.search(/[\s"][^\s"]*$/) + 1);
}
