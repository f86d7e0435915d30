import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeDirectory } from "../../src/common/directory.js";

const here = mkdtempSync(join(tmpdir(), "directory-"));
afterAll(() => rmSync(here, { recursive: true }));

test("makes a directory with its parents, and keeps an existing one", () => {
  const path = join(here, "a/b/c");
  makeDirectory(path);
  writeFileSync(join(path, "x"), "");
  makeDirectory(path);
  expect(existsSync(join(path, "x"))).toBe(true);
});

test("throws if the path is a file", () => {
  writeFileSync(join(here, "file"), "");
  expect(() => makeDirectory(join(here, "file"))).toThrow("EEXIST");
  expect(() => makeDirectory(join(here, "file/below"))).toThrow("ENOTDIR");
});

test.runIf(process.platform === "linux")("throws if the directory cannot be created", () => {
  expect(() => makeDirectory("/proc/x/y")).toThrow("ENOENT");
});
