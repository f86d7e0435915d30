import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mock, startMock } from "../../../../src/mock/server.js";
import { send, sendBytes } from "../../client.js";
import { getMessage, initialize, post, request, toolCall } from "../messages.js";

const list = request("tools/list");
let mock: Mock;
let key: string;

beforeAll(async () => {
  mock = await startMock({ clock: "frozen", limits: "off" });
  key = mock.keys.full!;
});
afterAll(() => mock.close());

describe("a raw call with the three headers of the contract", () => {
  test("lists the tools", async () => {
    const response = await post(mock.mcp_url, key, list);
    expect(response).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json; charset=utf-8" },
      json: { jsonrpc: "2.0", id: 1 },
    });
    expect(response.json.result.tools.length).toBeGreaterThan(30);
  });

  test.each([1, 0, -7, "1", "a b", ""])("gets its id %j back unchanged", async (id) => {
    expect((await post(mock.mcp_url, key, request("ping", undefined, id))).json).toEqual({ jsonrpc: "2.0", id, result: {} });
  });

  test("has the world's time as its Date", async () => {
    expect((await post(mock.mcp_url, key, list)).headers.date).toBe("Mon, 05 Jan 2026 09:00:00 GMT");
  });
});

describe("the handshake", () => {
  test.each(["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("accepts %s", async (version) => {
    expect((await post(mock.mcp_url, key, initialize(version))).json.result).toMatchObject({
      protocolVersion: version,
      serverInfo: { name: "counterpart-mock" },
    });
    expect((await post(mock.mcp_url, key, list, { headers: { "mcp-protocol-version": version } })).status).toBe(200);
  });

  test("answers an unknown revision with the newest one", async () => {
    expect((await post(mock.mcp_url, key, initialize("2099-01-01"))).json.result.protocolVersion).toBe("2025-11-25");
  });

  test("without params is an error", async () => {
    expect((await post(mock.mcp_url, key, request("initialize"))).json).toMatchObject({ id: 1, error: { code: -32602 } });
  });
});

describe("invalid requests of the protocol", () => {
  const body = (text: string) => ({ body: text });
  const headers = (more: Record<string, string>) => ({ headers: more });

  test.each<[what: string, message: unknown, more: object, status: number, code: number]>([
    ["bytes that are not JSON", null, body("{"), 400, -32700],
    ["no bytes at all", null, body(""), 400, -32700],
    ["bytes that are not UTF-8", null, { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, -32700],
    ["JSON that is too deep", null, body("[".repeat(100) + "]".repeat(100)), 400, -32700],
    ["JSON that is not a message", 5, {}, 400, -32600],
    ["null", null, body("null"), 400, -32600],
    ["an object that is not a message", { hello: "there" }, {}, 400, -32600],
    ["another version of JSON-RPC", { ...list, jsonrpc: "1.0" }, {}, 400, -32600],
    ["a null id", { ...list, id: null }, {}, 400, -32600],
    ["a fraction as id", { ...list, id: 1.5 }, {}, 400, -32600],
    ["an object as id", { ...list, id: {} }, {}, 400, -32600],
    ["a method that is not a string", { ...list, method: 5 }, {}, 400, -32600],
    ["params that are a list", { ...list, params: [] }, {}, 400, -32600],
    ["an invalid progress token", request("tools/list", { _meta: { progressToken: {} } }), {}, 400, -32600],
    ["an unknown key of a message", { ...list, more: 1 }, {}, 400, -32600],
    ["a batch", [list], {}, 400, -32600],
    ["an empty batch", [], {}, 400, -32600],
    ["a batch of the revision with batches", [list], headers({ "mcp-protocol-version": "2025-03-26" }), 400, -32600],
    ["a client that accepts JSON only", list, headers({ accept: "application/json" }), 406, -32000],
    ["a client that accepts streams only", list, headers({ accept: "text/event-stream" }), 406, -32000],
    ["who accepts neither", list, headers({ accept: "text/html" }), 406, -32000],
    ["a message with the type text/plain", list, headers({ "content-type": "text/plain" }), 415, -32000],
    ["a compressed message", list, headers({ "content-encoding": "gzip" }), 415, -32000],
    ["arguments of 1 MiB", toolCall("list_observations", { search: "x".repeat(1_048_576) }), {}, 413, -32000],
  ])("%s", async (_, message, more, status, code) => {
    const response = await post(mock.mcp_url, key, message, more);
    expect({ status: response.status, json: response.json }).toEqual({
      status,
      json: { jsonrpc: "2.0", id: null, error: { code, message: expect.any(String) } },
    });
    expect((await post(mock.mcp_url, key, list)).status).toBe(200);
  });

  test.each(["application/json, text/event-stream", "text/event-stream;q=0.5 , Application/JSON; charset=utf-8, */*"])(
    "but the Accept of %s is valid",
    async (accept) => {
      expect((await post(mock.mcp_url, key, list, { headers: { accept } })).status).toBe(200);
    },
  );

  test("nearly 1 MiB of undeclared argument gets a short message", async () => {
    const response = await post(mock.mcp_url, key, toolCall("list_observations", { priorty: "x".repeat(1_000_000) }));
    expect(response.json.result).toMatchObject({ isError: true });
    expect(response.text.length).toBeLessThan(2000);
  });
});

test("a batch gets another message than an invalid request", async () => {
  expect((await post(mock.mcp_url, key, [list])).json.error.message).toBe("Invalid Request: batches are not supported.");
});

describe("errors of the protocol", () => {
  test.each<[what: string, message: object, code: number, text: string]>([
    ["an unknown method", request("tools/reset"), -32601, "There is no method tools/reset."],
    ["a method with a name that every object has", request("toString"), -32601, "There is no method toString."],
    ["an unknown tool", toolCall("no_such_tool"), -32602, "Unknown tool: no_such_tool"],
    ["a tool by its purpose", toolCall("job_status"), -32602, "Unknown tool: job_status"],
    ["a tool without a name", request("tools/call", { arguments: {} }), -32602, "params.name must be a string."],
    [
      "arguments that are a list",
      request("tools/call", { name: "list_guides", arguments: [] }),
      -32602,
      "params.arguments must be an object.",
    ],
    [
      "arguments that are null",
      request("tools/call", { name: "list_guides", arguments: null }),
      -32602,
      "params.arguments must be an object.",
    ],
    ["an unknown cursor", request("tools/list", { cursor: "x" }), -32602, "This cursor is unknown."],
    ["an unknown prompt", request("prompts/get", { name: "__proto__" }), -32602, "Unknown prompt: __proto__"],
    [
      "a prompt's argument that is not a string",
      request("prompts/get", { name: "triage_new_findings", arguments: { org: 1 } }),
      -32602,
      "The arguments of a prompt must be strings.",
    ],
  ])("%s", async (_, message, code, text) => {
    const response = await post(mock.mcp_url, key, message);
    expect(response).toMatchObject({ status: 200, json: { jsonrpc: "2.0", id: 1, error: { code, message: text } } });
  });

  test("a call with a task parameter is answered as a plain call", async () => {
    const response = await post(mock.mcp_url, key, request("tools/call", { name: "list_guides", task: { ttl: 1000 } }));
    expect(response.json.result.structuredContent.guides.length).toBeGreaterThan(2);
  });
});

describe("messages without an answer", () => {
  test.each([
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["an unknown notification", { jsonrpc: "2.0", method: "hello" }],
    ["an answer", { jsonrpc: "2.0", id: 1, result: {} }],
    ["an error", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } }],
    ["a request method without an id", { jsonrpc: "2.0", method: "tools/list" }],
  ])("%s gets 202 and no body", async (_, message) => {
    expect(await post(mock.mcp_url, key, message)).toMatchObject({ status: 202, text: "" });
  });

  test("a cancellation does not reach the request of another client", async () => {
    const cancel = (requestId: number) => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
    const calls = Array.from({ length: 40 }, (_, i) => [post(mock.mcp_url, key, list), post(mock.mcp_url, key, cancel(i))]);
    expect(new Set((await Promise.all(calls.flat())).map(({ status }) => status))).toEqual(new Set([200, 202]));
  });
});

describe("refused callers", () => {
  test.each([
    ["nobody", undefined],
    ["an unknown key", "mock_nobody"],
    ["an expired key", "mock_expired"],
    ["a suspended workspace", "mock_suspended"],
    ["a fenced key", "mock_fenced"],
  ])("%s gets 401 without a reason, with any message", async (_, stranger) => {
    const responses = [
      await post(mock.mcp_url, stranger, list),
      await post(mock.mcp_url, stranger, null, { body: "{", headers: { accept: "text/html" } }),
      await send(`GET ${mock.mcp_url}`, { key: stranger }),
      await send(`DELETE ${mock.mcp_url}`, { key: stranger }),
    ];
    for (const { status, headers, json } of responses) {
      expect({ status, challenge: headers["www-authenticate"] }).toEqual({ status: 401, challenge: "Bearer" });
      expect(json.error).toMatchObject({ type: "authentication_error", message: "Send a valid API key as a bearer token." });
    }
  });

  test("a web-app session is not a key", async () => {
    const response = await post(`${mock.app_url}/mcp/`, undefined, list, { headers: { cookie: mock.sessions.owner! } });
    expect(response.status).toBe(401);
  });
});

describe("addresses", () => {
  test.each(["POST", "GET", "DELETE"])("the bare path redirects a %s, with its query, to a relative address", async (method) => {
    const response = await send(`${method} ${mock.api_url}/mcp?a=b`, method === "POST" ? { json: list } : {});
    expect(response).toMatchObject({ status: 307, headers: { location: "/mcp/?a=b" } });
  });

  test("the bare path does not route on the app host", async () => {
    expect(await post(`${mock.app_url}/mcp`, key, list)).toMatchObject({ status: 404, json: { error: {} } });
  });

  test("the app host forwards the endpoint", async () => {
    expect((await post(`${mock.app_url}/mcp/`, key, list)).json).toEqual((await post(mock.mcp_url, key, list)).json);
  });

  test.each([
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp/",
    "/.well-known/oauth-authorization-server",
    "/register",
  ])("%s responds in JSON that there is no sign-in", async (path) => {
    for (const method of ["GET", "POST"]) {
      expect(await send(`${method} ${mock.api_url}${path}`)).toMatchObject({
        status: 404,
        json: { error: { message: expect.any(String) } },
      });
    }
  });

  test.each(["GET", "DELETE", "PUT", "PATCH"])("%s is refused without sessions", async (method) => {
    expect(await send(`${method} ${mock.mcp_url}`, { key })).toMatchObject({
      status: 405,
      headers: { allow: "POST" },
      json: { jsonrpc: "2.0", id: null },
    });
  });
});

describe("DNS rebinding", () => {
  const raw = (headers: string) => {
    const text = JSON.stringify(list);
    const fixed = `authorization: Bearer ${key}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: ${text.length}\r\nconnection: close`;
    return sendBytes(mock.api_url, `POST /mcp/ HTTP/1.1\r\n${headers}\r\n${fixed}\r\n\r\n${text}`);
  };

  test.each([
    ["another Host", "host: evil.example.com"],
    ["another Host with our port", "host: evil.example.com:4010"],
    ["a Host with our name at its beginning", "host: 127.0.0.1.evil.example.com"],
    ["another Origin", "host: localhost\r\norigin: http://evil.example.com"],
    ["an Origin without a name", "host: localhost\r\norigin: null"],
  ])("%s is refused with 403", async (_, headers) => expect(await raw(headers)).toMatch(/^HTTP\/1\.1 403 /));

  test.each(["host: localhost:1234", "host: 127.0.0.1", "host: [::1]:80", "host: localhost\r\norigin: http://localhost:6274"])(
    "%s is answered",
    async (headers) => {
      expect(await raw(headers)).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  test("a page of this machine may send a preflight, and read the session id", async () => {
    const headers = {
      origin: "http://localhost:6274",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization, mcp-protocol-version",
    };
    expect(await send(`OPTIONS ${mock.mcp_url}`, { headers })).toMatchObject({
      status: 204,
      headers: { "access-control-allow-headers": "authorization, mcp-protocol-version" },
    });
    const response = await post(mock.mcp_url, key, list, { headers: { origin: "http://localhost:6274" } });
    expect(response.headers["access-control-expose-headers"]).toContain("mcp-session-id");
  });
});

test("a client that aborts in the middle of a message changes nothing", async () => {
  const { port } = new URL(mock.api_url);
  const socket = connect(Number(port), "127.0.0.1");
  await new Promise((resolve) =>
    socket.write(
      `POST /mcp/ HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"jsonrpc"`,
      resolve,
    ),
  );
  socket.destroy();
  expect((await post(mock.mcp_url, key, list)).status).toBe(200);
});

describe("streams", () => {
  test("an answer can be one event, after which the stream ends", async () => {
    const streaming = await startMock({ clock: "frozen", mcp: { sse: true } });
    const response = await post(streaming.mcp_url, streaming.keys.full, toolCall("list_guides", {}, "x"));
    expect(response).toMatchObject({
      status: 200,
      headers: { "content-type": "text/event-stream", "cache-control": "no-cache" },
    });
    expect(getMessage(response)).toMatchObject({
      jsonrpc: "2.0",
      id: "x",
      result: { structuredContent: { guides: expect.any(Array) } },
    });
    expect((await post(streaming.mcp_url, streaming.keys.full, [list])).json).toMatchObject({ error: { code: -32600 } });
    expect((await send(`GET ${streaming.mcp_url}`, { key: streaming.keys.full! })).status).toBe(405);
    await streaming.close();
  });
});
