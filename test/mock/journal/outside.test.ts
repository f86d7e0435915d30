import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { send, sendBytes } from "../client.js";
import { initialize, post, rawHeaders, request, toolCall } from "../mcp/messages.js";

let mock: Mock;
let sessions: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
  sessions = await startMock({ clock: "frozen", mcp: { sessions: true, sse: true } });
});
afterAll(() => Promise.all([mock.close(), sessions.close()]));
beforeEach(() => {
  mock.clearJournal();
  sessions.clearJournal();
});

const bytes = (url: string, head: string, ...lines: string[]) =>
  sendBytes(url, [head, ...lines, "Connection: close", "", ""].join("\r\n"));
const local = () => `Host: ${new URL(mock.api_url).host}`;
const tools = (message: unknown, headers: Record<string, string> = {}, key: string | undefined = mock.keys.full) =>
  post(mock.mcp_url, key, message, { headers });
const list = request("tools/list");

/** Each way to refuse a request or to answer it without an operation: status, check, clause and reason in its entry. */
const ways: [way: string, ask: () => Promise<unknown>, entry: object][] = [
  ["a path that no host serves", () => send(`GET ${mock.api_url}/nowhere`, { key: mock.keys.full }), at(404, "route", /no|not/)],
  ["no key", () => send(`GET ${mock.api_url}/api/jobs`), at(401, "authenticate", /API key/, "ERR-TYPE-AUTHENTICATION")],
  ["another method", () => send(`PUT ${mock.api_url}/api/jobs`, { key: mock.keys.full }), at(405, "route", /./)],
  [
    "another content type",
    () => send(`POST ${mock.api_url}/api/repos`, { key: mock.keys.full, body: "x", headers: { "content-type": "text/plain" } }),
    at(415, "body", /./),
  ],
  ["a page of the app host", () => send(`GET ${mock.app_url}/login`), at(404, "authenticate", /it has no pages/)],
  ["an unknown page of the docs site", () => send(`GET ${mock.docs_url}/nowhere`), at(404, "authenticate", /no such page/)],
  [
    "a write to a page of the docs site",
    () => send(`POST ${mock.docs_url}/`, { body: "x" }),
    at(405, "authenticate", /only GET and HEAD/),
  ],
  [
    "a foreign host",
    () => bytes(mock.api_url, "GET /api/jobs HTTP/1.1", "Host: evil.example"),
    at(403, "authenticate", /The Host evil\.example is not a name/),
  ],
  [
    "a foreign origin",
    () => send(`GET ${mock.api_url}/api/jobs`, { key: mock.keys.full, headers: { origin: "http://evil.example" } }),
    at(403, "authenticate", /origin http:\/\/evil\.example/),
  ],
  [
    "a foreign origin at the tool server",
    () => tools(list, { origin: "http://evil.example" }),
    at(403, "authenticate", /origin http:\/\/evil\.example/),
  ],
  [
    "the tool server without its slash",
    () => post(`${mock.api_url}/mcp`, mock.keys.full, list),
    at(307, "authenticate", /no trailing slash/, "MCP-ENDPOINT-BARE-307"),
  ],
  [
    "another method without the slash",
    () => send(`GET ${mock.api_url}/mcp`, { key: mock.keys.full }),
    at(307, "authenticate", /no trailing slash/, "MCP-ENDPOINT-BARE-METHODS"),
  ],
  ["the sign-in of other MCP servers", () => send(`GET ${mock.api_url}/.well-known/x`), at(404, "authenticate", /no sign-in/)],
  ["the tool server without a key", () => post(mock.mcp_url, undefined, list), at(401, "authenticate", /./)],
  [
    "an Accept that is too narrow",
    () => tools(list, { accept: "text/html" }),
    at(406, "rate", /must accept/, "MCP-HEADER-ACCEPT"),
  ],
  [
    "a message of another media type",
    () => tools(list, { "content-type": "text/plain" }),
    at(415, "rate", /as application\/json/, "MCP-HEADER-ACCEPT"),
  ],
  [
    "no message",
    () => send(`POST ${mock.mcp_url}`, { key: mock.keys.full, headers: rawHeaders }),
    at(400, "rate", /body is empty/, "GEN-JSON-REQUEST"),
  ],
  [
    "a message that is not JSON",
    () => post(mock.mcp_url, mock.keys.full, null, { body: "{" }),
    at(400, "rate", /Parse error/, "GEN-JSON-REQUEST"),
  ],
  ["a message that is not JSON-RPC", () => tools({ hello: 1 }), at(400, "rate", /not a JSON-RPC message/, "MCP-ENDPOINT-PATH")],
  ["a batch", () => tools([list]), at(400, "rate", /batches/, "MCP-ENDPOINT-PATH")],
  ["a message that is too long", () => tools({ x: "x".repeat(1_100_000) }), at(413, "rate", /Too Large/, "MCP-ENDPOINT-PATH")],
  [
    "an unknown protocol version",
    () => tools(list, { "mcp-protocol-version": "1999" }),
    at(400, "rate", /protocol version/, "MCP-ENDPOINT-PATH"),
  ],
  ["an unknown method of JSON-RPC", () => tools(request("tools/fly")), at(200, "rate", /no method/)],
  ["an unknown tool", () => tools(toolCall("fly")), at(200, "rate", /Unknown tool: fly/)],
  ["a tool error", () => tools(toolCall("explain_observation", { ref: "SERVICE-999999" })), at(404, "operation", /./)],
  [
    "another method of the tool server",
    () => send(`GET ${mock.mcp_url}`, { key: mock.keys.full }),
    at(405, "rate", /GET is not allowed/, "MCP-ENDPOINT-PATH"),
  ],
  [
    "bytes that are not HTTP",
    () => bytes(mock.api_url, "GET nowhere\u0001 HTTP/1.1", local()),
    at(400, "authenticate", /not an HTTP request/),
  ],
  [
    "headers that are too long",
    () => bytes(mock.api_url, "GET / HTTP/1.1", local(), `X: ${"x".repeat(20_000)}`),
    at(431, "authenticate", /not an HTTP/),
  ],
  [
    "CONNECT",
    () => bytes(mock.api_url, "CONNECT x:1 HTTP/1.1", local()),
    { ...at(405, "authenticate", /not an HTTP/), request: "CONNECT x:1" },
  ],
  ["no host", () => bytes(mock.api_url, "GET /api/jobs HTTP/1.1"), at(400, "authenticate", /no Host header/)],
];

function at(status: number, gate: string, reason: RegExp, clause: unknown = expect.anything()): object {
  const rule = clause === "MCP-ENDPOINT-PATH" || typeof clause === "string" ? { gate, clause } : { gate };
  return { status: status === 200 ? expect.anything() : status, rule, reason: expect.stringMatching(reason) };
}

describe("the journal", () => {
  it.each(ways)("has one entry, with the reason, for %s", async (_way, ask, entry) => {
    await ask();
    const entries = mock.journal();
    expect(entries).toMatchObject([entry.constructor === Object ? withStatus(entry, entries[0]?.status) : entry]);
  });

  it.each<[way: string, ask: () => Promise<unknown>, status: number, reason: RegExp]>([
    ["no session", () => post(sessions.mcp_url, sessions.keys.full, list), 400, /Mcp-Session-Id is missing/],
    [
      "an unknown one",
      () => post(sessions.mcp_url, sessions.keys.full, list, { headers: { "mcp-session-id": "x" } }),
      404,
      /Session not found/,
    ],
    ["none to end", () => send(`DELETE ${sessions.mcp_url}`, { key: sessions.keys.full }), 400, /Mcp-Session-Id is missing/],
    [
      "none to listen to",
      () => send(`GET ${sessions.mcp_url}`, { key: sessions.keys.full, headers: rawHeaders }),
      400,
      /is missing/,
    ],
  ])("has one entry, with the reason, for %s", async (_way, ask, status, reason) => {
    await ask();
    const rule = { clause: "MCP-ENDPOINT-PATH" };
    expect(sessions.journal()).toMatchObject([{ status, rule, reason: expect.stringMatching(reason) }]);
  });

  it("has no reason for a success, and an entry for each new session", async () => {
    await post(sessions.mcp_url, sessions.keys.full, initialize());
    expect(sessions.journal()).toMatchObject([{ status: 200, reason: null }]);
    await send(`GET ${mock.api_url}/api/jobs`, { key: mock.keys.full });
    expect(mock.journal()).toMatchObject([{ status: 200, reason: null }]);
  });

  it("has a request without a world in the journal of the default world", async () => {
    const world = await mock.world();
    await send(`GET ${mock.api_url}/api/jobs`);
    await post(`${mock.api_url}/mcp`, world.keys.full, list);
    expect([mock.journal().length, world.journal().map(({ status }) => status)]).toEqual([1, [307]]);
  });

  it("keeps such entries, in order, when the world is rewound to after them", async () => {
    const world = await mock.world();
    const get = () => send(`GET ${mock.api_url}/api/jobs`, { key: world.keys.full });
    await get();
    await post(`${mock.api_url}/mcp`, world.keys.full, list);
    await get();
    const [first, , third] = world.journal();
    expect(third?.log).toBe(first!.log + 1);
    await world.rewind(third!.log);
    expect(world.journal().map(({ number, status }) => [number, status])).toEqual([
      [1, 200],
      [2, 307],
    ]);
  });
});

/** Tools answer with 200 and have the status of the service in the journal: the protocol's own errors have none. */
function withStatus(entry: object, status: number | null | undefined): object {
  return "status" in entry && typeof entry.status !== "number" ? { ...entry, status } : entry;
}

/** Every place that writes a response to a request, but the control plane, which does not belong to the service. */
const writers: Record<string, string[]> = {
  "call/outside-requests.ts": ["sendRefusal, then recordOutside"],
  "call/pipeline.ts": ["sendResponse, then record"],
  "call/rest.ts": ["sendResponse, then recordOutside"],
  "cluster/ownership.ts": ["sendResponse, then recordOutside"],
  "docs/serve.ts": ["pages, which are not in the journal", "sendResponse, then recordOutside", "sendRefusal"],
  "faults/fault-applying.ts": ["faults of a call, which call/pipeline.ts records"],
  "http/response.ts": ["sendResponse"],
  "http/cors.ts": ["respondToPreflight: a browser sends it by itself, so it is not a call of the client"],
  "http/listen.ts": ["refuseNameless and refuseBytes: call/outside-requests.ts records"],
  "mcp/event-stream.ts": ["sendEvent: call/pipeline.ts records", "openStream: call/pipeline.ts records"],
  "mcp/serve.ts": ["sendRefusal", "redirect, then recordOutside", "sendResponse, then recordOutside"],
  "server.ts": ["sendRefusal"],
};
const writes = /\b(?:sendResponse|sendRefusal|writeHead|respondToPreflight)\(|\bsocket\.end\(/;
/** Answers in other ways than to a request of a client of the service. */
const otherPattern = /^(?:control|in-process|replay|cluster\/workers)\/|^http\/messages\.ts$/;

it("every place that writes an answer is in the table of writers", () => {
  const root = fileURLToPath(new URL("../../../src/mock/", import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !otherPattern.test(file),
  );
  const foundFiles = files.filter((file) => writes.test(readFileSync(root + file, "utf8")));
  expect(foundFiles.sort()).toEqual(Object.keys(writers).sort());
});

describe("a request whose client closes the connection before the end of the body", () => {
  const cutOff = async (url: string, path: string) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const head = [`POST ${path} HTTP/1.1`, `Host: ${hostname}:${port}`, `Authorization: Bearer ${mock.keys.full}`];
    socket.write([...head, "Content-Type: application/json", "Content-Length: 100", "", '{"half":'].join("\r\n"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.destroy();
    await expect.poll(() => mock.journal().length).toBe(1);
    return mock.journal()[0];
  };

  it.each(["/api/repos", "/mcp/"])("is recorded: %s", async (path) => {
    const entry = await cutOff(mock.api_url, path);
    expect(entry).toMatchObject({
      request: `POST ${path}`,
      status: null,
      reason: expect.stringMatching(/closed the connection/),
    });
  });
});

describe("a request that gets no answer", () => {
  const head = (method: string, path: string) =>
    `${method} ${path} HTTP/1.1\r\n${local()}\r\nAuthorization: Bearer ${mock.keys.full}\r\n\r\n`;
  const recorded = async (count: number) => {
    await expect.poll(() => mock.journal().length).toBe(count);
    return mock.journal().map(({ request, status, reason }) => [request, status, reason]);
  };
  const leave = async (text: string, ms: number) => {
    const { hostname, port } = new URL(mock.api_url);
    const socket = connect(Number(port), hostname).on("error", () => {});
    socket.write(text);
    await new Promise((resolve) => setTimeout(resolve, ms));
    socket.destroy();
  };
  const waited = "The connection ended while this request waited for the answers to the requests before it.";

  it("is recorded if its client closes the connection during a delay, with the requests after it", async () => {
    mock.fault({ on: "GET /api/jobs", first: 1, delay: "150ms" });
    await leave(head("GET", "/api/jobs") + head("GET", "/api/repos") + head("GET", "/__mock/health") + head("POST", "/mcp"), 50);
    expect((await recorded(3)).sort()).toEqual([
      ["GET /api/jobs", null, "The client closed the connection before the answer."],
      ["GET /api/repos", null, waited],
      ["POST /mcp", null, waited],
    ]);
  });

  it("is recorded if a fault breaks the connection, with the requests after it", async () => {
    mock.fault({ on: "GET /api/jobs", first: 1, socket: "CONNECTION_RESET_BY_PEER" });
    await leave(head("GET", "/api/jobs") + head("HEAD", "/api/repos"), 100);
    expect(await recorded(2)).toEqual([
      ["GET /api/jobs", null, "A fault broke the connection."],
      ["HEAD /api/repos", null, waited],
    ]);
  });
});
