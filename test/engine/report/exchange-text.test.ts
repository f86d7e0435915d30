import { expect, test } from "vitest";
import type { ShownExchange } from "../../../src/engine/execute/shown-steps.js";
import { formatSteps } from "../../../src/engine/report/exchange-text.js";

const rows = JSON.stringify({ data: Array.from({ length: 5000 }, (_, n) => ({ id: `j${n}`, status: "pending" })) }, null, 2);
const long = "x".repeat(2_000_000);

/** An exchange with these bodies. */
const exchange = (sent: string, received: string): ShownExchange => ({
  step: "read",
  after_ms: 0,
  took_ms: 1,
  request: { method: "POST", url: "http://service.test/api/repos", headers: {}, body: sent },
  answer: { status: 200, headers: {}, body: received },
});

test.each([
  ["a list of many lines", "{}", rows],
  ["one line", "{}", long],
  ["the request", long, "{}"],
  ["the request as JSON", JSON.stringify({ text: long.slice(0, 1_000_000) }), "{}"],
])("a body that is longer than a screen is shortened, and its length is shown: %s", (_, sent, received) => {
  const text = formatSteps([exchange(sent, received)]);
  expect(text.length).toBeLessThan(8000);
  expect(text.split("\n").length).toBeLessThan(70);
  expect(text).toContain(`(${Math.max(sent.length, received.length)} characters in all)`);
});

test("a body of one screen is complete, and so is one with differences", () => {
  const lines = Array.from({ length: 40 }, (_, n) => `line ${n}`).join("\n");
  expect(formatSteps([exchange("{}", lines)]).match(/line \d+/g)).toHaveLength(40);
  const many = Array.from({ length: 90 }, (_, n) => `line ${n}`).join("\n");
  const differing = { ...exchange("{}", many), differs: [{ at: "body", line: 70, expected: "another" }] };
  expect(formatSteps([differing])).toMatch(/line 70 +◄ expected another/);
});
