import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { expect, test } from "vitest";
import { startMock } from "../../../../src/index.js";
import { readGuide } from "../../../meta/guide.js";

/** A coding agent's `.mcp.json`. */
interface Configuration {
  mcpServers: Record<string, { type: string; url: string; headers: Record<string, string> }>;
}

test("an agent with the guide's .mcp.json connects, lists and calls", async () => {
  const mock = await startMock();
  const { type, url, headers } = readConfiguration();
  expect(type).toBe("http");
  const transport = new StreamableHTTPClientTransport(new URL(at(mock.api_url, url)), { requestInit: { headers } });
  const client = new Client({ name: "agent", version: "1" });
  await client.connect(transport as Transport);
  expect((await client.listTools()).tools.length).toBeGreaterThan(30);
  const result = await client.callTool({ name: "list_observations", arguments: { limit: 1 } });
  expect(result).toMatchObject({ structuredContent: { data: [{ ref: expect.any(String) }] } });
  await client.close();
  await mock.close();
});

/** The one server of the configuration in the guide. */
function readConfiguration(): Configuration["mcpServers"][string] {
  const [block] = [...readGuide("agents").matchAll(/^```json\n([\s\S]*?)\n```$/gm)]
    .map(([, text]) => text!)
    .filter((text) => text.includes("mcpServers"));
  const servers = Object.values((JSON.parse(block!) as Configuration).mcpServers);
  expect(servers).toHaveLength(1);
  return servers[0]!;
}

/** Returns the address of a host instead of the default address of `npm start`. */
function at(host: string, url: string): string {
  expect(url).toContain("http://127.0.0.1:4010/");
  return url.replace("http://127.0.0.1:4010", host);
}
