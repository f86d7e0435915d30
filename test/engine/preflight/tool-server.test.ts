import { expect, test } from "vitest";
import { openWire } from "../../../src/engine/http/rest.js";
import { examineToolServer, type ToolServerFacts } from "../../../src/engine/preflight/tool-server.js";
import { startRun } from "../../../src/engine/run/connect.js";
import { createTargetAtUrl } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";
import { serve } from "../server.js";

type Message = { id?: unknown; method: string; params?: { protocolVersion?: string; _meta?: Record<string, unknown> } };
/** The status and the JSON-RPC content of a response. */
type ClientResponse = [status: number, content: object | undefined, headers?: Record<string, string>];

const NEWEST = "2026-07-28";
const unsupported = (supported: string[]) => ({ error: { code: -32022, message: "no", data: { supported } } });
const unknown = { error: { code: -32601, message: "no such method" } };
const initializeResponse = (protocolVersion: string) => ({ result: { protocolVersion, capabilities: {}, serverInfo: {} } });
const discovered = (...supportedVersions: string[]) => ({
  result: { resultType: "complete", supportedVersions, capabilities: {} },
});

/** Examines a tool server that answers messages by their method. */
async function examine(
  responses: Record<string, ClientResponse>,
  configuredRevision?: string,
): Promise<{ facts: ToolServerFacts; asked: string[] }> {
  const server = await serve(({ body, method }, response) => {
    const message = (body === "" ? { method } : JSON.parse(body)) as Message;
    const [status, content, headers = {}] = responses[message.method] ?? [400, unknown];
    response(status, content === undefined ? "<p>Nothing" : { jsonrpc: "2.0", id: message.id, ...content }, headers);
  });
  const wire = openWire({ timeoutMs: 5000 });
  try {
    const targetResult = createTargetAtUrl(suite.target, server.url);
    if (!targetResult.ok) throw new Error(targetResult.mistakes.join("\n"));
    const target = {
      ...targetResult.target,
      ...(configuredRevision !== undefined && { mcpRevision: configuredRevision as typeof NEWEST }),
    };
    const run = startRun(suite, { maxWait: 0.1 }, target, wire);
    const facts = await examineToolServer({ run, rules: suite }, `${server.url}/mcp/`, "a-key");
    const asked = server.received.map(({ method, body }) => (body === "" ? method : (JSON.parse(body) as Message).method));
    return { facts, asked };
  } finally {
    await wire.close();
    await server.close();
  }
}

const both = ["server/discover", "initialize"];
const listing = [...both, "tools/list"];
const shelf = { type: "object", properties: { shelf: { type: "string", "x-mcp-header": "Shelf" } } };
const onlyNew: Record<string, ClientResponse> = {
  "server/discover": [200, discovered("2027-01-01", NEWEST)],
  initialize: [400, unsupported([NEWEST])],
};
const onlyOld: Record<string, ClientResponse> = {
  "server/discover": [400, unknown],
  initialize: [200, initializeResponse("2025-03-26")],
};

test.each<[string, Record<string, ClientResponse>, ToolServerFacts, string[]]>([
  ["supports only the newest revision", onlyNew, { mcpRevision: NEWEST }, listing],
  [
    "wants an argument in a header",
    { ...onlyNew, "tools/list": [200, { result: { resultType: "complete", tools: [{ name: "lend", inputSchema: shelf }] } }] },
    { mcpRevision: NEWEST, mcpHeaders: [{ tool: "lend", path: ["shelf"], header: "Shelf" }] },
    listing,
  ],
  ["supports only revisions with a handshake", onlyOld, { mcpRevision: "2025-03-26" }, both],
  [
    "opens a session with its handshake",
    { ...onlyOld, initialize: [200, initializeResponse("2025-11-25"), { "mcp-session-id": "one" }] },
    { mcpRevision: "2025-11-25" },
    [...both, "DELETE"],
  ],
  [
    "supports revisions of both kinds",
    { ...onlyNew, initialize: [200, initializeResponse("2025-06-18")] },
    { mcpRevision: NEWEST, mcpHandshake: "2025-06-18" },
    listing,
  ],
  ["refuses the key", { "server/discover": [401, undefined] }, {}, ["server/discover"]],
  ["speaks no MCP", { "server/discover": [200, undefined], initialize: [200, undefined] }, {}, both],
])("a tool server that %s", async (_, responses, facts, asked) => {
  expect(await examine(responses)).toEqual({ facts, asked });
});

test("a host without a tool server is absent", async () => {
  const { facts } = await examine({ "server/discover": [404, undefined], initialize: [404, undefined] });
  expect(facts).toEqual({ absent: expect.stringMatching(/^There is no tool server: POST \S+\/mcp\/ answered 404 /) });
});

test.each<[string, Record<string, ClientResponse>, string | undefined, RegExp]>([
  [
    "lists others",
    { "server/discover": [400, unsupported(["2030-01-01"])] },
    undefined,
    /: the server names 2030-01-01, the runner/,
  ],
  [
    "greets in another",
    { initialize: [200, initializeResponse("2030-01-01")] },
    undefined,
    /: the server names 2030-01-01, the runner supports /,
  ],
  [
    "does not support the one that the user set",
    onlyOld,
    NEWEST,
    /^the tool server does not support MCP 2026-07-28\. Set another/,
  ],
  ["greets in another than the user set", onlyOld, "2025-06-18", /does not support MCP 2025-06-18: it names 2025-03-26\. Set/],
  [
    "refuses the handshake that the user set",
    onlyNew,
    "2025-06-18",
    /does not support MCP 2025-06-18: it names 2026-07-28\. Set/,
  ],
])("a tool server that %s shares no revision with the run", async (_, responses, configuredRevision, why) => {
  const { facts, asked } = await examine(responses, configuredRevision);
  expect(facts).toEqual({ mcpRefusal: expect.stringMatching(why) });
  expect(asked).toHaveLength(configuredRevision === undefined ? 2 : 1);
});
