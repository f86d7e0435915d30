import { expect, test } from "vitest";
import { compareSchemas } from "../../../src/contract/diff/schemas.js";

/** Compares two schemas of a field, and returns the impact and the message of each difference. */
function compare(direction: "answer" | "request", ours: object, theirs: object): string[] {
  const type = { type: "number" };
  const pair = { at: "here", part: "here", direction, ours: { ...type, ...ours }, theirs: { ...type, ...theirs } };
  return compareSchemas(pair, { ours: {}, theirs: {} }).map(({ impact, message }) => `${impact}: ${message}`);
}

// The levels of oasdiff 1.37: *-decreased and *-increased of what a caller sends or receives.
test.each([
  ["request", { maximum: 9 }, { maximum: 8 }, ["breaks-callers: maximum is 8, was 9"]], // error request-property-max-decreased
  ["request", { minimum: 1 }, { minimum: 2 }, ["breaks-callers: minimum is 2, was 1"]], // error request-property-min-increased
  ["request", {}, { maxLength: 8 }, []], // warning request-property-max-length-set: the contract states no limit, so a server may have one
  ["request", { maximum: 9 }, { maximum: 10 }, ["contradicts-contract: maximum is 10, was 9"]], // the contract refuses 10
  ["answer", { maximum: 9 }, { maximum: 10 }, ["breaks-callers: maximum is 10, was 9"]], // error response-property-max-increased
  ["answer", { minLength: 2 }, { minLength: 1 }, ["breaks-callers: minLength is 1, was 2"]], // error response-property-min-length-decreased
  ["answer", { maximum: 9 }, { maximum: 8 }, []], // info response-property-max-decreased
  ["answer", {}, { maximum: 8 }, []],
  ["answer", { maxItems: 9 }, {}, ["absent: has no maxItems"]], // the document does not say that the limit changed
  ["answer", { minimum: 1 }, { anyOf: [{ minimum: 3 }, { minimum: 0 }] }, ["breaks-callers: minimum is 0, was 1"]],
  ["answer", { minimum: 1 }, { allOf: [{ minimum: 0 }, { minimum: 1 }] }, []],
] as const)("the limits of a %s: %j published as %j: %j", (direction, ours, theirs, expected) => {
  expect(compare(direction, ours, theirs)).toEqual(expected);
});

test.each([
  ["number", { exclusiveMinimum: 0 }, { minimum: 0, exclusiveMinimum: true }],
  ["integer", { minimum: 1 }, { exclusiveMinimum: 0 }],
  ["integer", { maximum: 9 }, { exclusiveMaximum: 10, maximum: 11 }],
])("an exclusive limit of a %s equals its other form: %j, %j", (type, ours, theirs) => {
  expect(compare("request", { type, ...ours }, { type, ...theirs })).toEqual([]);
});
