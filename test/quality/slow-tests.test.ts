import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { slowTests } from "./slow-tests.js";

const getNames = (count?: number) => slowTests(count).map(({ name }) => name);

test("runs every file of tests that takes a sample completely, in any folder", () => {
  const sampling = readdirSync(join(packageRoot, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"))
    .map((file) => join("test", file))
    .filter((file) => /\bsampled\(|\bexhaustive\b(?=[ ,)?])/.test(readFileSync(join(packageRoot, file), "utf8")));
  expect(sampling.length).toBeGreaterThan(20);
  expect(getNames().toSorted()).toEqual(expect.arrayContaining(sampling.filter((file) => !file.endsWith("slow-tests.test.ts"))));
});

test("draws the requested number of files", () => {
  expect(getNames(5)).toHaveLength(5);
  expect(getNames()).toEqual(expect.arrayContaining(getNames(5)));
});
