import { parseStrictJson } from "./strict-json.js";
import { readChunks } from "./user-file.js";

/** A line of a JSON Lines file, counted from 1: its text, or why it is not read. */
export type TextLine = { number: number } & ({ ok: true; text: string } | { ok: false; why: string });

/** Longer than any line of a trace or a recording, and shorter than the longest string. */
const MOST_CHARACTERS = 256 * 1024 * 1024;

/**
 * Yields the lines of a regular file. Only a line feed ends a line: JSON strings contain the other line ends. Stops at a line that is too
 * long. Throws an error of the file system, or that the file is not a regular one.
 */
export async function* textLinesOf(path: string, most: number = MOST_CHARACTERS): AsyncGenerator<TextLine> {
  let begun: string[] = [];
  let [number, length] = [1, 0];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const chunk of readChunks(path)) {
    const [rest = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    begun.push(rest);
    length += rest.length;
    for (const next of others) {
      yield { number, ok: true, text: begun.join("") };
      number += 1;
      begun = [next];
      length = next.length;
    }
    if (length > most) return yield { number, ok: false, why: `is longer than ${most} characters` };
  }
  const end = decoder.decode();
  if (length + end.length > 0) yield { number, ok: true, text: begun.join("") + end };
}

/** Parses the text of a line. */
export function parseLine(line: TextLine): { ok: true; value: unknown } | { ok: false; why: string } {
  return line.ok ? parseStrictJson(line.text) : line;
}
