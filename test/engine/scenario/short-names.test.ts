import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../../src/contract/load.js";
import { expandShortNames } from "../../../src/engine/scenario/short-names.js";
import { shortNames } from "../../../src/suite/statements/short-names.js";

const NAMES = { spare: "{binding.owner}/{binding.repo}", body: { "{binding.key}": 1, mode: "open" }, limit: 5 };

const CASES: [what: string, written: unknown, meant: unknown][] = [
  ["in text", "GET /api/{spare}/jobs?limit={limit}", "GET /api/{binding.owner}/{binding.repo}/jobs?limit=5"],
  ["as a whole value, in its own type", { json: "{body}", n: "{limit}" }, { json: { "{binding.key}": 1, mode: "open" }, n: 5 }],
  ["in keys", { "{spare}": [{ a: "{spare}" }] }, { "{binding.owner}/{binding.repo}": [{ a: "{binding.owner}/{binding.repo}" }] }],
  ["not where a brace is meant", "{{spare}", "{{spare}"],
  ["not a value in the midst of text", "a {body}", "a {body}"],
  ["and nothing else", ["{job}", 7, null, true], ["{job}", 7, null, true]],
  ["as an object to build on", { "<<": "{body}", mode: "shut", more: 1 }, { "{binding.key}": 1, mode: "shut", more: 1 }],
  ["but a merge of a value that is not an object stays", { "<<": "{job}" }, { "<<": "{job}" }],
];

test.each(CASES)("a short name is replaced %s", (_, written, intendedBodies) => {
  expect(expandShortNames(written, NAMES)).toEqual(intendedBodies);
});

test("a value that is used twice is two values", () => {
  const [a, b] = expandShortNames(["{body}", "{body}"], NAMES) as object[];
  expect(a).not.toBe(b);
});

test("the suite's short names refer only to existing variables", () => {
  expect(expandShortNames(shortNames, shortNames)).toEqual(shortNames);
});

test("scenarios/short-names.json lists the short names of the suite", () => {
  expect(JSON.parse(readFileSync(join(packageRoot, "scenarios/short-names.json"), "utf8"))).toEqual(shortNames);
});
