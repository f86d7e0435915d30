import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { Outcome } from "./examine.js";
import { openKept } from "./kept.js";
import type { Result } from "./pool.js";

const directory = mkdtempSync(join(tmpdir(), "kept-"));
afterAll(() => rmSync(directory, { recursive: true }));

let path: string;
let count = 0;
beforeEach(() => {
  path = join(directory, `${++count}`, "kept.ndjson");
});

function examined(kind: "mutant" | "variant", found: Partial<Outcome> = {}): Result {
  const nothing = { seconds: 1, scenarios: 1, requests: 1, passed: 1, failed: [], alarms: [], verdicts: "" };
  return { task: { kind, name: "it", only: ["a.yaml"] }, outcome: { name: "it", ...nothing, ...found } };
}

function tested(failed: string[]): Result {
  return {
    task: { kind: "tests", name: "test/it.test.ts" },
    outcome: { name: "test/it.test.ts", seconds: 1, passed: 9, failed },
  };
}

const reopened = (result: Result, fresh = false) => openKept(path, { fresh }).of(result.task);

test.each<[string, Result, boolean]>([
  ["a mutant that was killed", examined("mutant", { failed: ["A"], alarms: ["a"] }), true],
  ["a mutant that could not be examined", examined("mutant", { problem: "no server" }), false],
  ["a legal server that is not flagged", examined("variant"), true],
  ["a legal server that is flagged", examined("variant", { alarms: ["a"] }), false],
  ["tests that passed", tested([]), true],
  ["tests that failed", tested(["it holds"]), false],
])("what became of %s is kept or not, as it should be", (_, result, isKept) => {
  openKept(path, { fresh: false }).add(result);
  expect(reopened(result)).toEqual(isKept ? result : undefined);
});

test("nothing is kept for another task of the same server", () => {
  const result = examined("mutant");
  openKept(path, { fresh: false }).add(result);
  expect(openKept(path, { fresh: false }).of({ kind: "mutant", name: "it", only: [] })).toBeUndefined();
  expect(openKept(path, { fresh: false }).of({ kind: "variant", name: "it", only: ["a.yaml"] })).toBeUndefined();
});

test("what was found in another state of the project is dropped, and so is all when asked to begin anew", () => {
  const result = examined("mutant");
  openKept(path, { fresh: false }).add(result);
  writeFileSync(path, readFileSync(path, "utf8").replace(/"digest":"\w/, '"digest":"-'));
  expect([reopened(result), readFileSync(path, "utf8")]).toEqual([undefined, ""]);
  openKept(path, { fresh: false }).add(result);
  expect(reopened(result, true)).toBeUndefined();
});

test("a line that was cut off counts for nothing, and spoils no other", () => {
  const result = examined("mutant");
  openKept(path, { fresh: false }).add(result);
  appendFileSync(path, '{"digest":"0');
  expect(reopened(result)).toEqual(result);
});
