import { expect, test } from "vitest";
import { findRefusalIn } from "../../../src/engine/http/mcp.js";
import { responses } from "../../../src/suite/response-rules.js";

const error = { type: "rate_limit_error", code: "rate_limit_budget", message: "Spent.", request_id: "1" };

/** Returns the response to a tool call with a tool error of this text. */
function toolError(text: string) {
  const message = { jsonrpc: "2.0", id: 1, result: { isError: true, content: [{ type: "text", text }] } };
  const body = new TextEncoder().encode(JSON.stringify(message));
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

test.each([
  [JSON.stringify({ error }), { error }],
  [JSON.stringify(error), { error }],
  ["Spent.", undefined],
  [JSON.stringify({ code: "rate_limit_budget" }), undefined],
])("the error in a tool error with the text %s is found", (text, body) => {
  expect(findRefusalIn(toolError(text), responses)).toEqual(body);
});
