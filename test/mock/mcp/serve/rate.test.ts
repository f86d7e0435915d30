import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Mock, startMock } from "../../../../src/index.js";
import { type ClientResponse, send } from "../../client.js";
import { initialize, post, request, toolCall } from "../messages.js";

const notification = { jsonrpc: "2.0", method: "notifications/initialized" };

let mock: Mock;
beforeEach(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterEach(() => mock.close());

function ask(message: object, key = mock.keys.full): Promise<ClientResponse> {
  return post(mock.mcp_url, key, message);
}

/** Uses up the requests of a key in this minute, except this many. */
async function leave(left: number): Promise<void> {
  const json = { key: "key_full", bucket: "mcp", used: 60 - left };
  expect((await send(`PUT ${mock.control_url}/worlds/default/buckets`, { json })).status).toBe(200);
}

describe("the rate of the tool server", () => {
  test.each([
    ["initialize", initialize()],
    ["ping", request("ping")],
    ["a list of tools", request("tools/list")],
    ["a list of prompts", request("prompts/list")],
    ["a prompt", request("prompts/get", { name: "service_agent_loop" })],
    ["a call", toolCall("list_guides")],
    ["a call of an unknown tool", toolCall("no_such_tool")],
    ["a call without a name", request("tools/call")],
    ["an unknown method", request("tools/reset")],
  ])("counts %s", async (_, message) => {
    await leave(1);
    expect((await ask(message)).status).toBe(200);
    expect((await ask(request("tools/list"))).status).toBe(429);
  });

  test("counts no notification and no request that was refused before", async () => {
    await leave(1);
    await ask(notification);
    await ask({ hello: "there" });
    await post(mock.mcp_url, mock.keys.full, request("tools/list"), { headers: { accept: "application/json" } });
    await ask(request("tools/list"), "mock_nobody");
    expect((await ask(request("tools/list"))).status).toBe(200);
  });

  test("refuses a request without a tool with 429 in the service's envelope, and after Retry-After it passes", async () => {
    await leave(0);
    const clientResponse = await ask(request("tools/list"));
    expect(clientResponse).toMatchObject({
      status: 429,
      headers: { "retry-after": "60" },
      json: { error: { type: "rate_limit_error", code: "rate_limit_qps", request_id: clientResponse.headers["x-request-id"] } },
    });
    expect(mock.journal({ code: "rate_limit_qps" })).toMatchObject([
      { route: "tools/list", status: 429, rule: { gate: "rate" } },
    ]);
    mock.advance("60s");
    expect((await ask(request("tools/list"))).status).toBe(200);
  });

  test("refuses a call in a tool error", async () => {
    await leave(0);
    const { status, json } = await ask(toolCall("list_guides"));
    expect(status).toBe(200);
    expect(json.result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "rate_limit_qps", retry_after: 60 } },
    });
  });

  test("counts within the ceiling of a key", async () => {
    const responses = [];
    for (let i = 0; i < 6; i++) responses.push((await ask(request("tools/list"), mock.keys.slow)).status);
    expect(responses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test("counts calls only, if the mock is set to", async () => {
    const otherIsolatedWorld = await mock.world({ options: { mcp_rate: "calls" } });
    for (let i = 0; i < 70; i++) expect((await ask(request("tools/list"), otherIsolatedWorld.keys.full)).status).toBe(200);
    for (let i = 0; i < 60; i++)
      expect((await ask(toolCall("list_guides"), otherIsolatedWorld.keys.full)).json.result.isError).toBeUndefined();
    expect((await ask(toolCall("list_guides"), otherIsolatedWorld.keys.full)).json.result.isError).toBe(true);
    expect((await ask(request("tools/list"), otherIsolatedWorld.keys.full)).status).toBe(200);
  });
});
