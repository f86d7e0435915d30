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

test.each(["sk-proj-abcdefghij-2", "key-of-a-workspace-12", "live_9f8a7b6c5d4e3f2a"])(
  "a new key is a secret although Date.parse reads a time in it: %s",
  (key) => {
    const url = "https://host.example/api/keys";
    const made = {
      key_id: "a-key-id-of-a-workspace",
      value: key,
      created_at: "2026-01-05T09:00:00.000Z",
      name: "a-name-that-was-sent",
    };
    const request = { method: "POST", url, headers: {}, body: Buffer.from('{"name":"a-name-that-was-sent"}') };
    const response = { status: 201, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(made)) };
    expect(suite.answers.secretsIn({ request, response, startedAt: 0, endedAt: 0 } as never)).toEqual([key]);
  },
);
