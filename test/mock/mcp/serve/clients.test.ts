import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contract } from "../../../../src/contract/load.js";
import { type Mock, startMock } from "../../../../src/mock/server.js";
import { send } from "../../client.js";
import { connect } from "../messages.js";

const modes = [
  ["without sessions, in JSON", { sessions: false, sse: false }],
  ["without sessions, in streams", { sessions: false, sse: true }],
  ["with sessions, in JSON", { sessions: true, sse: false }],
  ["with sessions, in streams", { sessions: true, sse: true }],
] as const;

describe.each(modes)("the SDK's client, %s", (_, mcp) => {
  let mock: Mock;
  let client: Client;
  let transport: StreamableHTTPClientTransport;

  beforeAll(async () => {
    mock = await startMock({ clock: "frozen", mcp });
    ({ client, transport } = await connect(mock.mcp_url, mock.keys.full!));
  });
  afterAll(async () => {
    await client.close();
    await mock.close();
  });

  test("completes the handshake, and gets a session if the mock has sessions", () => {
    expect(client.getServerVersion()).toMatchObject({ name: "counterpart-mock" });
    expect(client.getServerCapabilities()).toEqual({ tools: {}, prompts: {} });
    expect(transport.sessionId !== undefined).toBe(mcp.sessions);
  });

  test("lists every tool with a closed schema", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      Object.values(contract.tools)
        .map(({ name }) => name)
        .sort(),
    );
    expect(tools.filter(({ inputSchema }) => inputSchema.additionalProperties !== false)).toEqual([]);
  });

  test("calls a tool, and gets text and structured content", async () => {
    const result = await client.callTool({ name: "list_observations", arguments: { priority: "P0", limit: 2 } });
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({ data: [{ priority: "P0" }, { priority: "P0" }], has_more: true });
    expect(result.content).toEqual([{ type: "text", text: JSON.stringify(result.structuredContent) }]);
  });

  test("gets a tool error for an undeclared argument", async () => {
    const result = await client.callTool({ name: "list_observations", arguments: { priorty: "P0" } });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^1 validation error .*\npriorty\n {2}Extra inputs.*extra_forbidden/) }],
    });
  });

  test("gets the service's refusal in a tool error", async () => {
    const result = await client.callTool({ name: "explain_observation", arguments: { ref: "SERVICE-0" } });
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { type: "not_found", code: "not_found" } } });
    expect(result.content).toEqual([{ type: "text", text: JSON.stringify(result.structuredContent) }]);
  });

  test("changes what REST returns", async () => {
    await client.callTool({ name: "acknowledge_observation", arguments: { ref: "SERVICE-3" } });
    const clientResponse = await send(`GET ${mock.api_url}/api/observations/SERVICE-3`, { key: mock.keys.full });
    expect(clientResponse.json.acknowledged_at).toBe("2026-01-05T09:00:00.000Z");
  });

  test("follows a job on the world's clock", async () => {
    const submitted = await client.callTool({
      name: "submit_job",
      arguments: { owner: "acme", repo: "api", branch: "main", workflow: "audit", force: true },
    });
    const { id } = submitted.structuredContent as { id: string };
    mock.advance({ until: "idle" });
    const result = await client.callTool({ name: "get_job_status", arguments: { job_id: id } });
    expect(result.structuredContent).toMatchObject({ id, status: "completed", finished_at: expect.any(String) });
  });

  test("gets prompts, and an error for a missing argument", async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["service_agent_loop", "triage_new_findings", "investigate_finding"]);
    const { messages } = await client.getPrompt({
      name: "triage_new_findings",
      arguments: { org: "acme", repo: "web", branch: "main" },
    });
    expect(messages).toMatchObject([
      { role: "user", content: { type: "text", text: expect.stringContaining("acme/web, branch main") } },
    ]);
    await expect(client.getPrompt({ name: "triage_new_findings", arguments: { org: "acme", repo: "" } })).rejects.toMatchObject({
      code: -32602,
      message: "MCP error -32602: The prompt triage_new_findings needs a value for: repo, branch",
    });
  });

  test("gets the protocol's error for an unknown tool and an unknown method", async () => {
    await expect(client.callTool({ name: "cancel_job", arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: "MCP error -32602: Unknown tool: cancel_job",
    });
    await expect(client.listResources()).rejects.toThrow();
    await expect(client.ping()).resolves.toEqual({});
  });

  test("can send many requests at once and gets the answer of each", async () => {
    const refs = Array.from({ length: 20 }, (_, i) => `SERVICE-${i + 1}`);
    const results = await Promise.all(refs.map((ref) => client.callTool({ name: "explain_observation", arguments: { ref } })));
    expect(results.map(({ structuredContent }) => (structuredContent as { ref: string }).ref)).toEqual(refs);
  });

  test("connects by the address without its slash, and by the app host", async () => {
    for (const url of [mock.mcp_url.slice(0, -1), `${mock.app_url}/mcp/`]) {
      const other = await connect(url, mock.keys.full!);
      expect((await other.client.listTools()).tools.length).toBeGreaterThan(30);
      await other.client.close();
    }
  });

  test("is refused with an invalid key", async () => {
    await expect(connect(mock.mcp_url, "mock_nobody")).rejects.toThrow("Send a valid API key");
  });
});

test("two clients with the same ids and keys of two worlds get their own answers", async () => {
  const mock = await startMock({ clock: "frozen" });
  const otherIsolatedWorld = await mock.world();
  const [one, two] = await Promise.all([
    connect(mock.mcp_url, mock.keys.full!),
    connect(otherIsolatedWorld.mcp_url, otherIsolatedWorld.keys.full!),
  ]);
  await one.client.callTool({ name: "complete_observation", arguments: { ref: "SERVICE-1" } });
  const explain = { name: "explain_observation", arguments: { ref: "SERVICE-1" } };
  const [here, there] = await Promise.all([one.client.callTool(explain), two.client.callTool(explain)]);
  expect([here.structuredContent, there.structuredContent]).toMatchObject([{ status: "closed" }, { status: "new" }]);
  await Promise.all([one.client.close(), two.client.close()]);
  await mock.close();
});
