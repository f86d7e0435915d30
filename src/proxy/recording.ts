import { chmodSync, createWriteStream, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type RecordingLine, recordingFormat } from "../card/recording.js";
import { jsonText } from "../common/escape/visible.js";
import { parseLine, textLinesOf } from "../common/json-lines.js";

/** A recording that is being written. */
export interface Recording {
  /** Adds a line, from which the known secrets are hidden. */
  add(line: RecordingLine): void;
  /**
   * Writes the file once more, so that secrets that became known later are hidden in earlier lines too. The new file takes the place of the
   * old one in one step. Rejects when it cannot be written.
   */
  finish(hide: <T>(value: T) => T): Promise<void>;
}

/** Begins a recording in a file that only its owner can read. Each request adds a line of JSON. Throws when the file cannot be written. */
export function openRecording(path: string, upstream: string): Recording {
  writeFileSync(path, `${jsonText({ format: recordingFormat, upstream })}\n`, { mode: 0o600 });
  const isFile = statSync(path).isFile();
  if (isFile) chmodSync(path, 0o600);
  let written: Promise<unknown> = Promise.resolve();
  return {
    add(line) {
      const text = `${jsonText(line)}\n`;
      written = written.then(() => appendFile(path, text));
      written.catch(() => {}); // `finish` reports it
    },
    async finish(hide) {
      await written;
      if (!isFile) return;
      const draft = `${path}.${process.pid}.tmp`;
      try {
        await pipeline(Readable.from(hiddenLines(path, hide)), createWriteStream(draft, { mode: 0o600, flags: "wx" }));
        renameSync(draft, path);
      } finally {
        rmSync(draft, { force: true });
      }
    },
  };
}

async function* hiddenLines(path: string, hide: <T>(value: T) => T): AsyncGenerator<string> {
  for await (const line of textLinesOf(path)) {
    const read = parseLine(line);
    if (!read.ok) throw new Error(`${path}: line ${line.number} ${read.why}`);
    yield `${jsonText(line.number === 1 ? read.value : hide(read.value))}\n`;
  }
}
