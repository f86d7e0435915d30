import { expect, test } from "vitest";
import { suite } from "../../src/suite/suite.js";

const isForCallerLimit = (text: string, expected: object = { content: { type: "string" } }) =>
  suite.answers.isForCallerLimit({ status: 200, body: undefined, text }, [undefined, expected]);

test("a tool that names the code of a used-up limit in a sentence refuses because of the limit", () => {
  expect(isForCallerLimit("**Refused**: The dollars of the hour are spent (rate_limit_budget)")).toBe(true);
  expect(isForCallerLimit("The plan has no room: plan_repo_cap_exceeded")).toBe(true);
});

test.each([
  ["that names another code", "**Refused**: insufficient_scope", {}],
  ["that names none", "Refused.", {}],
  ["that the check asks for", "rate_limit_budget", { toolError: { contains: "rate_limit_budget" } }],
])("a refusal %s is judged", (_, text, expected) => {
  expect(isForCallerLimit(text, expected)).toBe(false);
});
