import { describe, expect, test } from "vitest";
import { allowsSuccess } from "../../../../src/engine/execute/expect/response.js";
import type { WireResponse } from "../../../../src/engine/http/exchange.js";
import { matchResponseTo } from "../../../../src/suite/response-rules.js";

const response = (body: unknown, status = 200): WireResponse => ({
  status,
  headers: {},
  body: new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body)),
});
const responseWith = (text: string, more: object = {}) =>
  response({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }], ...more } });
const envelope = { error: { type: "permission_error", code: "no_scope", message: "no", request_id: "r" } };
const holds = (expected: object, response: WireResponse) => matchResponseTo(expected, response).mismatches.length === 0;

describe("an answer of the tool server", () => {
  const wireResponse = responseWith("job-1 is pending");
  const refusals: [string, WireResponse][] = [
    ["an HTTP status", response({ error: "no" }, 401)],
    ["a JSON-RPC error", response({ jsonrpc: "2.0", id: 1, error: { code: -32602, message: "no" } })],
    ["a tool error", responseWith("no", { isError: true })],
    ["an error envelope as text", responseWith(JSON.stringify(envelope))],
    ["an error envelope as structured content", responseWith("see there", { structuredContent: envelope })],
  ];

  test.each(refusals)("is a refusal with %s", (_, response) => {
    expect([holds({ refused: true }, response), holds({ content: { type: "string" } }, response)]).toEqual([true, false]);
  });

  test("that is empty is not a refusal", () => {
    expect([holds({ refused: true }, response("", 202)), holds({ refused: true }, response({ rows: [] }))]).toEqual([
      false,
      false,
    ]);
  });

  test("that is a result is not a refusal", () => {
    expect([holds({ refused: true }, wireResponse), holds({ content: { contains: "job-1" } }, wireResponse)]).toEqual([
      false,
      true,
    ]);
  });

  const failure = { error: { ...envelope.error, type: "server_error" } };
  test.each([
    ["a status of the server's own", response(failure, 500)],
    ["the body of a failure", responseWith(JSON.stringify(failure), { isError: true })],
  ])("that fails is not a refusal: %s", (_, response) => {
    expect([holds({ refused: true }, response), holds({ content: { type: "string" } }, response)]).toEqual([false, false]);
  });

  test("includes its structured content", () => {
    const response = responseWith("see there", { structuredContent: { id: "job-2" } });
    expect([holds({ content: { contains: "job-2" } }, response), holds({ content: { contains: "job-3" } }, response)]).toEqual([
      true,
      false,
    ]);
  });

  test("about a job with an error is not a refusal", () => {
    expect(holds({ content: { contains: "boom" } }, responseWith(JSON.stringify({ status: "failed", error: "boom" })))).toBe(
      true,
    );
  });

  test.each([
    ["not flagged as an error", responseWith("1 error\npriorty\n  [type=extra_forbidden]"), "result/isError"],
    ["without the type", responseWith("1 error\npriorty\n  odd", { isError: true }), "tool error"],
    ["with the key inside a line", responseWith("odd priorty [type=extra_forbidden]", { isError: true }), "tool error"],
    ["as a JSON-RPC error", response({ jsonrpc: "2.0", id: 1, error: { code: 1, message: "priorty" } }), "result"],
  ])("is not a tool error that names the key when it is %s", (_, response, place) => {
    const { mismatches } = matchResponseTo({ toolError: { type: "extra_forbidden", names: "priorty" } }, response);
    expect(mismatches.map(({ at }) => at)).toEqual([place]);
  });

  test("is the tool error if it is flagged and one line has the type and the name", () => {
    const response = responseWith("1 error\r\n  priorty\r\n [type=extra_forbidden]", { isError: true });
    expect(holds({ toolError: { type: "extra_forbidden", names: "priorty" } }, response)).toBe(true);
  });
});

test.each([
  [201, true],
  ["2xx", true],
  [[402, 200], true],
  [{ not: 429 }, true],
  [429, false],
  ["4xx", false],
  [[400, 422], false],
])("an expected status %j allows a success: %s", (expected, allowed) => {
  expect(allowsSuccess(expected)).toBe(allowed);
});
