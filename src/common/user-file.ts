import { isUtf8 } from "node:buffer";
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";

/** The text of a user's file, or why it cannot be read. */
export type UserFile = { ok: true; text: string } | { ok: false; why: string };

/** The maximum size of a file. A person writes no larger one. */
const MAX_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** The byte that ends a line. */
export const LINE_FEED_BYTE = 0x0a;
/** The reason for refusing bytes that are not UTF-8. */
export const NOT_UTF8_MESSAGE = "is not text in UTF-8";

/** The code of the error that `openRegularFile` throws. */
const NOT_REGULAR_CODE = "ERR_NOT_REGULAR_FILE";

/**
 * Opens a regular file for reading, also through a link, and returns its descriptor. Throws an error of the file system, or one
 * for a pipe, a device or a directory, which can block a reader for ever. Checks the file after opening it, so that nobody can
 * replace the file between check and use.
 */
export function openRegularFile(path: string): number {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // opening a pipe must not wait for a writer
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw Object.assign(new Error(`${path} is not a regular file`), { code: NOT_REGULAR_CODE });
}

/** Streams of this process, which Linux names by links. */
const standardStream = /^\/dev\/(stdout|stderr|fd\/\d+)$/;

/**
 * Flags of `open` for a file to write. They refuse a symbolic link at the end of the path, because another user could have made it. Windows
 * has no such flag.
 */
export const outputFlags = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

/**
 * Opens a file that a user has named, to replace its content or to append to it, and returns its descriptor. Throws for a symbolic link, and
 * errors of the file system.
 */
export function openOutputFile(path: string, mode: "replace" | "append", permissions = 0o666): number {
  const flags = standardStream.test(path) ? constants.O_WRONLY : outputFlags;
  try {
    return openSync(path, flags | (mode === "append" ? constants.O_APPEND : constants.O_TRUNC), permissions);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ELOOP") throw error;
    throw new Error(`${path} is a symbolic link. Give the path of the file itself.`);
  }
}

/** Writes a text to a file that a user has named, as `openOutputFile` opens it. */
export function writeOutputFile(path: string, text: string): void {
  const descriptor = openOutputFile(path, "replace");
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** Creates an empty file that only the user can read, and returns its descriptor. Throws if the path exists. */
export function createPrivateFile(path: string): number {
  return openSync(path, "wx", 0o600);
}

/** Returns the status of the file or directory at a path; undefined if there is none, and for a link to nothing or to itself. */
export function readStatus(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Yields the bytes of a regular file. Throws as `openRegularFile` does. */
export async function* readChunks(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { fd: openRegularFile(path) });
}

/** Reads a file in a directory that a user has named. Refuses everything but a regular file of at most `maxBytes`. */
export function readRegularFile(path: string, maxBytes: number = MAX_BYTES): UserFile {
  return readOpened(() => openRegularFile(path), maxBytes);
}

/** Reads a file that a user has named, a pipe too. Refuses it when it is larger than `maxBytes`. */
export function readUserFile(file: string, maxBytes: number = MAX_BYTES): UserFile {
  return readOpened(() => openSync(file, "r"), maxBytes);
}

function readOpened(open: () => number, maxBytes: number): UserFile {
  try {
    const descriptor = open();
    try {
      return readWhole(descriptor, maxBytes);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return { ok: false, why: describeReadError(error) };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EACCES: "cannot be read: this user may not read it",
  EPERM: "cannot be read: this user may not read it",
  ELOOP: "cannot be read: its links form a loop",
  ENXIO: "is not a regular file",
  EISDIR: "is not a regular file",
  [NOT_REGULAR_CODE]: "is not a regular file",
};

/** Returns why a file cannot be read, for an error of the file system or of `openRegularFile`. */
export function describeReadError(error: unknown): string {
  const { code = "unknown fault" } = error as { code?: string };
  return REASONS[code] ?? `cannot be read (${code})`;
}

function readWhole(descriptor: number, maxBytes: number): UserFile {
  const pieces: Buffer[] = [];
  for (let size = 0; size <= maxBytes; ) {
    const piece = Buffer.allocUnsafe(CHUNK_BYTES);
    const count = readSync(descriptor, piece, 0, CHUNK_BYTES, null);
    if (count === 0) return decodeUserFile(Buffer.concat(pieces));
    pieces.push(piece.subarray(0, count));
    size += count;
  }
  return { ok: false, why: `is larger than ${maxBytes / (1024 * 1024)} MB, too large for this kind of file` };
}

function decodeUserFile(bytes: Buffer): UserFile {
  return isUtf8(bytes)
    ? { ok: true, text: bytes.toString("utf8") }
    : { ok: false, why: `${NOT_UTF8_MESSAGE} (line ${findBadLine(bytes)})` };
}

/** Returns the number of the first line that is not UTF-8. No character of UTF-8 contains the byte of a line feed. */
function findBadLine(bytes: Buffer): number {
  let number = 1;
  for (let from = 0, to = 0; ; from = to + 1, number++) {
    to = bytes.indexOf(LINE_FEED_BYTE, from);
    if (to < 0 || !isUtf8(bytes.subarray(from, to))) return number;
  }
}
