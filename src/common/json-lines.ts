import { createReadStream } from "node:fs";
import { parseStrictJson } from "./strict-json.js";

/** A line of a file of JSON lines, counted from 1: its text, or why it is not read. */
export type TextLine = { number: number } & ({ ok: true; text: string } | { ok: false; why: string });

/** More than any line of a trace or a recording has, and less than a string can hold. */
const MOST_CHARACTERS = 256 * 1024 * 1024;

/** Yields the lines of a file, which only a line feed ends (JSON holds the other line ends as they are), and stops at one that is too long. */
export async function* textLinesOf(path: string, most: number = MOST_CHARACTERS): AsyncGenerator<TextLine> {
  let begun: string[] = [];
  let [number, length] = [1, 0];
  for await (const chunk of createReadStream(path, { encoding: "utf8" })) {
    const [rest = "", ...others] = (chunk as string).split("\n");
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
  if (length > 0) yield { number, ok: true, text: begun.join("") };
}

/** Parses the text of a line. */
export function parseLine(line: TextLine): { ok: true; value: unknown } | { ok: false; why: string } {
  return line.ok ? parseStrictJson(line.text) : line;
}
