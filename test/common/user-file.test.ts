import { execFileSync } from "node:child_process";
import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readTextLines } from "../../src/common/json-lines.js";
import { openRegularFile, readChunks, readRegularFile } from "../../src/common/user-file.js";

const directory = mkdtempSync(join(tmpdir(), "user-file-"));
const pipe = join(directory, "pipe");
const device = join(directory, "device");
execFileSync("mkfifo", [pipe]);
symlinkSync("/dev/zero", device);

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}

/** The readers that accept only a regular file. */
const readers = {
  openRegularFile: async (path: string) => openRegularFile(path),
  readChunks: (path: string) => all(readChunks(path)),
  textLinesOf: (path: string) => all(readTextLines(path)),
};

describe.each([
  ["a pipe without a writer", pipe],
  ["a link to a device", device],
  ["a directory", directory],
])("%s", (_, path) => {
  test.each(Object.entries(readers))("throws for %s", async (_name, read) => {
    await expect(read(path)).rejects.toThrow(`${path} is not a regular file`);
  });

  test("is refused by readRegularFile", () => {
    expect(readRegularFile(path)).toEqual({ ok: false, why: "is not a regular file" });
  });
});

test("textLinesOf keeps characters whose bytes two chunks share, and a byte order mark", async () => {
  const path = join(directory, "long.ndjson");
  const lines = [`\uFEFF${"é".repeat(40_000)}`, `a${"漢".repeat(50_000)}`, "end"];
  writeFileSync(path, lines.join("\n"));
  const textLines = await all(readTextLines(path));
  expect(textLines).toEqual(lines.map((text, index) => ({ number: index + 1, ok: true, text, isEnded: index < 2 })));
});

test("bytes that are not UTF-8 are refused, and their line is named", async () => {
  const path = join(directory, "latin-1");
  writeFileSync(path, Buffer.from("first\nsecond\ncaf\u00e9\nlast\n", "latin1"));
  expect(readRegularFile(path)).toEqual({ ok: false, why: "is not text in UTF-8 (line 3)" });
  expect((await all(readTextLines(path)))[2]).toEqual({ number: 3, ok: false, why: "is not text in UTF-8" });
});
