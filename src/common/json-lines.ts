import { isUtf8 } from "node:buffer";
import { parseStrictJson } from "./strict-json.js";
import { LINE_FEED_BYTE, NOT_UTF8_MESSAGE, readChunks } from "./user-file.js";

/** A line of a JSON Lines file, counted from 1: its text, and whether a line feed ends it; or why it is not read. */
export type TextLine = { number: number } & ({ ok: true; text: string; isEnded: boolean } | { ok: false; why: string });

/** Longer than any line of a trace or a recording, and shorter than the longest string. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Yields the lines of a regular file. Only a line feed ends a line: JSON strings contain the other line ends. Stops at a line that is too
 * long. Throws an error of the file system, or that the file is not a regular one.
 */
export async function* readTextLines(path: string, maxBytes: number = MAX_BYTES): AsyncGenerator<TextLine> {
  let begun: Buffer[] = [];
  let [number, length] = [1, 0];
  for await (const chunk of readChunks(path)) {
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED_BYTE); to >= 0; to = chunk.indexOf(LINE_FEED_BYTE, from)) {
      yield createLine(number, [...begun, chunk.subarray(from, to)], true);
      number += 1;
      [begun, length, from] = [[], 0, to + 1];
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > maxBytes) return yield { number, ok: false, why: `is longer than ${maxBytes} bytes` };
  }
  if (length > 0) yield createLine(number, begun, false);
}

/** Parses the text of a line. */
export function parseLine(line: TextLine): { ok: true; value: unknown } | { ok: false; why: string } {
  return line.ok ? parseStrictJson(line.text) : line;
}

function createLine(number: number, pieces: readonly Buffer[], isEnded: boolean): TextLine {
  const bytes = Buffer.concat(pieces);
  return isUtf8(bytes)
    ? { number, ok: true, text: bytes.toString("utf8"), isEnded }
    : { number, ok: false, why: NOT_UTF8_MESSAGE };
}
