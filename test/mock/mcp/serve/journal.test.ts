import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { socketFaults } from "../../../../src/mock/faults/faults.js";
import { type Mock, startMock } from "../../../../src/mock/server.js";
import { post, rawHeaders, request, toolCall } from "../messages.js";

let mock: Mock;
beforeEach(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterEach(() => mock.close());

const call = (name: string, given?: object, role = "full") => post(mock.mcp_url, mock.keys[role], toolCall(name, given));
const last = () => mock.journal().at(-1);

describe("the journal", () => {
  test("shows a tool call, its caller and its changes", async () => {
    await call("acknowledge_observation", { ref: "SERVICE-3" });
    expect(last()).toMatchObject({
      request: "POST /mcp/",
      route: "acknowledge_observation",
      key: "key_full",
      status: 200,
      rule: { gate: "operation", code: null },
      changes: [{ kind: "observation", id: "SERVICE-3" }],
    });
  });

  test.each([
    ["a scope refusal", "submit_fix", { ref: "SERVICE-2" }, "viewer", 403, "permission", "insufficient_scope"],
    ["a faulty argument", "submit_fix", { reff: 1 }, "full", 422, "schema", "invalid_payload"],
    ["a refusal of the work", "submit_fix", { ref: "SERVICE-0" }, "full", 404, "operation", "not_found"],
  ])("shows for %s the check and the rule", async (_, name, given, role, status, gate, code) => {
    const response = await call(name, given, role);
    expect(response).toMatchObject({ status: 200, json: { result: { isError: true } } });
    expect(last()).toMatchObject({ route: name, status, rule: { gate, code, description: expect.any(String) }, changes: [] });
  });

  test("shows the reason of a 401, which the answer does not", async () => {
    await post(mock.mcp_url, mock.keys.expired, request("tools/list"));
    expect(last()).toMatchObject({ route: null, status: 401, passed: [], rule: { gate: "authenticate", code: "expired_key" } });
  });

  test("shows the method of other messages, and the status of refused ones", async () => {
    await post(mock.mcp_url, mock.keys.full, request("tools/list"));
    expect(last()).toMatchObject({ route: "tools/list", status: 200, passed: ["authenticate"] });
    await post(mock.mcp_url, mock.keys.full, []);
    expect(last()).toMatchObject({ route: null, status: 400, passed: ["authenticate"] });
  });
});

describe("a fault on a tool", () => {
  test("answers with the service's envelope in a tool error, and the operation is not performed", async () => {
    mock.fault({ on: "acknowledge_observation", nth: 1, code: "service_unavailable" });
    expect((await call("acknowledge_observation", { ref: "SERVICE-3" })).json.result).toMatchObject({
      isError: true,
      structuredContent: { error: { type: "server_error", code: "service_unavailable" } },
    });
    expect(last()).toMatchObject({ status: 503, fault: "fault_1", changes: [] });
    expect((await call("acknowledge_observation", { ref: "SERVICE-3" })).json.result.isError).toBeUndefined();
  });

  test.each(socketFaults)("breaks the connection by %s, and the server continues", async (socket) => {
    mock.fault({ on: "list_guides", nth: 1, socket });
    await expect(call("list_guides")).rejects.toThrow();
    expect(last()).toMatchObject({ route: "list_guides", status: null, fault: "fault_1" });
    expect((await call("list_guides")).status).toBe(200);
  });

  test("delays it and then performs it", async () => {
    mock.fault({ on: "acknowledge_observation", delay: "5ms" });
    expect((await call("acknowledge_observation", { ref: "SERVICE-3" })).json.result.structuredContent.acknowledged_at).toBe(
      "2026-01-05T09:00:00.000Z",
    );
  });

  test("delays a client that closes the connection: the call is performed and recorded", async () => {
    const fault = mock.fault({ on: "acknowledge_observation", nth: 1, delay: "100ms" });
    const gone = new AbortController();
    const headers = { ...rawHeaders, authorization: `Bearer ${mock.keys.full}` };
    const body = JSON.stringify(toolCall("acknowledge_observation", { ref: "SERVICE-3" }));
    const asked = fetch(mock.mcp_url, { method: "POST", headers, body, signal: gone.signal }).catch(() => null);
    await expect.poll(() => fault.hits).toBe(1);
    gone.abort();
    await asked;
    await expect.poll(() => last()?.changes.length).toBe(1);
    expect((await call("list_repositories")).status).toBe(200);
  });

  test("does not apply to another tool, and cannot name an unknown tool", async () => {
    mock.fault({ on: "list_guides", code: "not_found" });
    expect((await call("list_repositories")).json.result.isError).toBeUndefined();
    expect(() => mock.fault({ on: "cancel_job", code: "not_found" })).toThrow("There is no route or tool 'cancel_job'");
  });
});
