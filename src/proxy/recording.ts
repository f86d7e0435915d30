import { appendFile, closeSync, createWriteStream, fchmodSync, fstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { type RecordingLine, recordingFormat } from "../client-report/recording.js";
import { formatJson } from "../common/escape/visible.js";
import { parseLine, readTextLines } from "../common/json-lines.js";
import { openOutputFile } from "../common/user-file.js";

const append = promisify(appendFile);

/** A recording in progress. */
export interface Recording {
  /** Adds a line without its known secrets. */
  add(line: RecordingLine): void;
  /**
   * Rewrites the file, so that earlier lines also lose secrets that became known later. Replaces the old file in one step.
   * Returns a sentence if a line or the new file cannot be written.
   */
  finish(hide: <T>(value: T) => T): Promise<string | undefined>;
}

/** Begins a recording in a file that only its owner can read. Each request adds a line of JSON. Throws when the file cannot be written. */
export function openRecording(path: string, upstream: string): Recording {
  const descriptor = openOutputFile(path, "replace", 0o600);
  writeFileSync(descriptor, `${formatJson({ format: recordingFormat, upstream })}\n`);
  const isFile = fstatSync(descriptor).isFile();
  if (isFile) fchmodSync(descriptor, 0o600);
  let written: Promise<unknown> = Promise.resolve();
  return {
    add(line) {
      const text = `${formatJson(line)}\n`;
      written = written.then(() => append(descriptor, text));
      written.catch(() => {}); // `finish` reports it
    },
    async finish(hide) {
      const cutReason = await written.then(() => null, describeError);
      closeSync(descriptor);
      if (!isFile) return cutReason === null ? undefined : `The recording ${path} is incomplete: ${cutReason}.`;
      const draftPath = `${path}.${process.pid}.tmp`;
      try {
        await pipeline(
          Readable.from(maskLines(path, hide, cutReason !== null)),
          createWriteStream(draftPath, { mode: 0o600, flags: "wx" }),
        );
        renameSync(draftPath, path);
        return cutReason === null
          ? undefined
          : `The recording ${path} is incomplete: ${cutReason}. It holds the exchanges before that.`;
      } catch (error) {
        const why = `The recording ${path} cannot be rewritten: ${describeError(error)}.`;
        return `${why} It may hold secrets that became known late: delete it, or record again.`;
      } finally {
        rmSync(draftPath, { force: true });
      }
    },
  };
}

function describeError(error: unknown): string {
  return (error as Error).message;
}

/** Yields the lines of a recording without secrets. A cut recording ends before its first line that is not JSON. */
async function* maskLines(path: string, hide: <T>(value: T) => T, isCut: boolean): AsyncGenerator<string> {
  for await (const line of readTextLines(path)) {
    const result = parseLine(line);
    if (!result.ok && isCut) return;
    if (!result.ok) throw new Error(`${path}: line ${line.number} ${result.why}`);
    yield `${formatJson(line.number === 1 ? result.value : hide(result.value))}\n`;
  }
}
