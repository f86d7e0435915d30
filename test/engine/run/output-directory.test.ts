import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verify } from "../../../src/engine/run/verify.js";
import { suite } from "../../../src/suite/suite.js";
import { serve } from "../server.js";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "output-"));
  writeFileSync(join(directory, "file"), "");
  mkdirSync(join(directory, "taken", "report.json"), { recursive: true });
});
afterAll(() => rmSync(directory, { recursive: true }));

test.each([
  ["a file", () => join(directory, "file"), "a file has this name"],
  ["a place below a file", () => join(directory, "file", "out"), "a file has this name"],
  ["a place where no directory can be made", () => "/proc/x", "a directory cannot be created there"],
  ["a directory with a directory in place of the report", () => join(directory, "taken"), "report.json in it is a directory"],
])("%s is refused as output directory before the first request", async (_, place, why) => {
  const server = await serve((_request, response) => response(200));
  try {
    const { exitCode, messages } = await verify(suite, { url: server.url, only: ["page-limit"], out: place() });
    expect([exitCode, messages]).toEqual([
      2,
      [`--out ${place()}: the report cannot be written: ${why}. Give another directory.`],
    ]);
    expect(server.received).toEqual([]);
  } finally {
    await server.close();
  }
});

test("a missing directory is made, and no file stays in it", async () => {
  const out = join(directory, "new", "out");
  const { exitCode } = await verify(suite, { url: "http://127.0.0.1:9", only: ["page-limit"], out });
  expect([exitCode, readdirSync(out)]).toEqual([4, []]);
});
