import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contract } from "../../../../src/contract/load.js";
import { type Mock, startMock } from "../../../../src/index.js";
import { send } from "../../client.js";

const ways = [
  ["without sessions, legacy", { sessions: false, sse: false }, "legacy", "2025-11-25"],
  ["without sessions, auto", { sessions: false, sse: false }, "auto", "2026-07-28"],
  ["without sessions, the newest revision alone", { sessions: false, sse: false }, { pin: "2026-07-28" }, "2026-07-28"],
  ["with sessions and streams, legacy", { sessions: true, sse: true }, "legacy", "2025-11-25"],
  ["with sessions and streams, auto", { sessions: true, sse: true }, "auto", "2026-07-28"],
  ["of a modern mock, auto", { revisions: ["modern"] }, "auto", "2026-07-28"],
  ["of a legacy mock, auto", { revisions: ["legacy"] }, "auto", "2025-11-25"],
  ["of a mock of one old revision, auto", { revisions: ["2025-03-26"] }, "auto", "2025-03-26"],
] as const;

describe.each(ways)("the split client by the address without its slash, %s", (_, mcp, mode, revision) => {
  let mock: Mock;
  let client: Client;

  beforeAll(async () => {
    mock = await startMock({ clock: "frozen", mcp });
    client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${mock.keys.full}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(mock.mcp_url.replace(/\/$/, "")), { requestInit }));
  });
  afterAll(async () => {
    await client.close();
    await mock.close();
  });

  test("is redirected, and agrees on a revision", async () => {
    expect((await send(`POST ${mock.api_url}/mcp`)).headers.location).toBe("/mcp/");
    expect(client.getServerVersion()).toMatchObject({ name: "counterpart-mock" });
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  });

  test("lists every tool and prompt", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(Object.values(contract.tools).map(({ name }) => name));
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(Object.keys(contract.prompts));
  });

  test("reads", async () => {
    const result = await client.callTool({ name: "list_observations", arguments: { priority: "P0", limit: 2 } });
    expect(result.structuredContent).toMatchObject({ data: [{ priority: "P0" }, { priority: "P0" }], has_more: true });
    expect(result.content).toEqual([{ type: "text", text: JSON.stringify(result.structuredContent) }]);
  });

  test("writes, and REST returns the change", async () => {
    const result = await client.callTool({ name: "acknowledge_observation", arguments: { ref: "SERVICE-3" } });
    expect(result.isError).toBeUndefined();
    const clientResponse = await send(`GET ${mock.api_url}/api/observations/SERVICE-3`, { key: mock.keys.full });
    expect(clientResponse.json.acknowledged_at).toBe("2026-01-05T09:00:00.000Z");
  });

  test("gets a tool error for an undeclared argument", async () => {
    const result = await client.callTool({ name: "list_observations", arguments: { priorty: "P0" } });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^1 validation error .*\npriorty\n {2}Extra inputs.*extra_forbidden/) }],
    });
  });

  test("gets a prompt, and the protocol's error for a missing argument", async () => {
    const named = { org: "acme", repo: "web", branch: "main" };
    const { messages } = await client.getPrompt({ name: "triage_new_findings", arguments: named });
    expect(messages).toMatchObject([{ content: { text: expect.stringContaining("acme/web, branch main") } }]);
    await expect(client.getPrompt({ name: "triage_new_findings", arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });
});
