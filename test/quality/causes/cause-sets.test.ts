import { expect, test } from "vitest";
import type { Check } from "../../../src/engine/execute/check.js";
import type { Cause } from "../../../src/engine/verdict/causes.js";
import { matchCauses } from "./cause-sets.js";

const check = (id: string): Check => ({
  ...{ id, scenario: id, step: "x", clauses: ["READS"], verdict: "failed", subjects: 1, file: "a.yaml", line: 1 },
  operation: "GET /book",
});
const cause = (title: string, ...checks: string[]): Cause => ({ id: title, title, checks, clauses: ["READS"], unjudged: [] });
const complete = "GET /book: /id is 1, not 2";

test("matches faults with causes: right, split, merged, unnamed or hidden", () => {
  const alone = {
    right: ["a", "shared"],
    split: ["b", "c"],
    merged: ["d"],
    "merged too": ["e"],
    unnamed: ["f"],
    "cut title": ["g"],
    hidden: ["shared"],
    "without effect": ["h"],
  };
  const checks = ["a", "b", "c", "d", "e", "f", "g", "shared"].map(check);
  const causes = [
    cause(complete, "a", "shared"),
    cause(complete, "b"),
    cause(complete, "c"),
    cause(complete, "d", "e"),
    cause("the server is wrong", "f"),
    cause("GET /book: /rows must be [1,2,3…", "g"),
  ];
  expect(matchCauses({ checks, alone }, causes)).toEqual({
    right: ["right"],
    split: ["split"],
    merged: ["merged", "merged too"],
    unnamed: ["unnamed", "cut title"],
    hidden: ["hidden", "without effect"],
  });
});
