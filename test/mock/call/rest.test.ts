import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Mock, startMock } from "../../../src/mock/server.js";
import type { IncomingCall } from "../../../src/service/call.js";
import { perform } from "../../../src/service/perform.js";
import { authenticateToolCaller, drawToolRequest, performTool } from "../../../src/service/tools/perform-tool.js";
import type { World } from "../../../src/service/world/world.js";
import { send, sendBytes } from "../client.js";

let mock: Mock;
let jobs: string;

beforeAll(async () => {
  mock = await startMock({ clock: "frozen", trustClientIp: true });
  jobs = `${mock.api_url}/api/repos/${mock.repos[0]}/jobs`;
});
afterAll(() => mock.close());

describe("the REST surface", () => {
  const submission = { workflow: "audit", params: {} };
  const json = { "content-type": "application/json" };
  const refusals: { says: string; line: () => string; sent?: object; key?: string | undefined; status: number; code: string }[] =
    [
      { says: "no key", line: () => `GET ${mock.api_url}/api/jobs`, key: undefined, status: 401, code: "missing_key" },
      {
        says: "an unknown path without a key",
        line: () => `GET ${mock.api_url}/nowhere`,
        key: undefined,
        status: 401,
        code: "missing_key",
      },
      { says: "an unknown path", line: () => `GET ${mock.api_url}/nowhere`, status: 404, code: "not_found" },
      {
        says: "a path that only begins like the control plane",
        line: () => `GET ${mock.api_url}/__mocking`,
        status: 404,
        code: "not_found",
      },
      {
        says: "a method that the path does not take",
        line: () => `DELETE ${mock.api_url}/api/jobs`,
        status: 405,
        code: "method_not_allowed",
      },
      { says: "OPTIONS", line: () => `OPTIONS ${mock.api_url}/api/jobs`, status: 405, code: "method_not_allowed" },
      {
        says: "broken JSON",
        line: () => `POST ${jobs}`,
        sent: { body: "{not json", headers: json },
        status: 400,
        code: "bad_request",
      },
      {
        says: "bytes that are not UTF-8",
        line: () => `POST ${jobs}`,
        sent: { body: Buffer.from([0x22, 0xff, 0x22]), headers: json },
        status: 400,
        code: "bad_request",
      },
      {
        says: "JSON nested too deep",
        line: () => `POST ${jobs}`,
        sent: { body: "[".repeat(65) + "]".repeat(65), headers: json },
        status: 400,
        code: "bad_request",
      },
      {
        says: "a body of another type",
        line: () => `POST ${jobs}`,
        sent: { body: "a=1", headers: { "content-type": "text/plain" } },
        status: 415,
        code: "unsupported_media_type",
      },
      {
        says: "a body of no type",
        line: () => `POST ${jobs}`,
        sent: { body: "{}" },
        status: 415,
        code: "unsupported_media_type",
      },
      {
        says: "a compressed body",
        line: () => `POST ${jobs}`,
        sent: { body: "{}", headers: { ...json, "content-encoding": "gzip" } },
        status: 415,
        code: "unsupported_media_type",
      },
      {
        says: "a body over the limit",
        line: () => `POST ${jobs}`,
        sent: { body: " ".repeat(1_048_577), headers: json },
        status: 413,
        code: "payload_too_large",
      },
      { says: "a missing body", line: () => `POST ${jobs}`, status: 422, code: "invalid_payload" },
      {
        says: "a repeated query parameter",
        line: () => `GET ${mock.api_url}/api/jobs?limit=1&limit=2`,
        status: 422,
        code: "invalid_payload",
      },
    ];
  it.each(refusals)("refuses $says with $status $code in the envelope", async ({ line, sent, status, code, ...row }) => {
    const response = await send(line(), { key: "key" in row ? row.key : "mock_full", ...sent });
    expect(response.status).toBe(status);
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(response.json.error).toMatchObject({ code, request_id: response.headers["x-request-id"] });
    expect(response.json.error.message).not.toBe("");
  });

  it("accepts a body whose type has a charset and capital letters", async () => {
    const response = await send(`POST ${jobs}`, {
      key: "mock_full",
      body: JSON.stringify(submission),
      headers: { "content-type": "Application/JSON; charset=UTF-8" },
    });
    expect(response.status).toBe(201);
  });

  it("accepts a POST without a body if it is optional, and ignores the body of a GET", async () => {
    const { json: list } = await send(`GET ${mock.api_url}/api/observations?status=new&limit=1`, {
      key: "mock_full",
      body: "{not json",
      headers: json,
    });
    const response = await send(`POST ${mock.api_url}/api/observations/${list.data[0].ref}/complete`, { key: "mock_full" });
    expect(response.status).toBe(200);
  });

  it.each([1_048_577, 31_000_000])("keeps the connection after a body of %d bytes, which exceeds the limit", async (bytes) => {
    const big = " ".repeat(bytes);
    const head = (line: string, more: string) =>
      `${line} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer mock_full\r\n${more}\r\n`;
    const path = new URL(jobs).pathname;
    const responses = await sendBytes(
      mock.api_url,
      head(`POST ${path}`, `content-type: application/json\r\ncontent-length: ${big.length}\r\n`) +
        big +
        head("GET /api/jobs?limit=1", "connection: close\r\n"),
    );
    expect(responses.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
  });

  it("takes the Date of its answers from the world's clock", async () => {
    const clientResponseBefore = await send(`GET ${mock.api_url}/api/jobs`, { key: "mock_full" });
    mock.advance("2h");
    const clientResponseAfter = await send(`GET ${mock.api_url}/api/jobs`, { key: "mock_full" });
    expect(Date.parse(String(clientResponseAfter.headers.date)) - Date.parse(String(clientResponseBefore.headers.date))).toBe(
      7_200_000,
    );
  });

  it("accepts the absolute form of a request line", async () => {
    const response = await sendBytes(
      mock.api_url,
      "GET http://x/api/jobs?limit=1 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer mock_full\r\nconnection: close\r\n\r\n",
    );
    expect(response).toContain('"has_more"');
  });

  it.each([
    ["bytes that are not HTTP", "hello\r\n\r\n", 400],
    ["a header without an end", `GET / HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431],
    ["a tunnel", "CONNECT x:1 HTTP/1.1\r\nhost: localhost\r\n\r\n", 405],
  ])("answers %s in the envelope and continues", async (_, bytes, status) => {
    const response = await sendBytes(mock.api_url, bytes);
    expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(response.split("\r\n\r\n")[1]!).error).toMatchObject({
      type: "invalid_request_error",
      code: "bad_request",
    });
    expect((await send(`GET ${mock.api_url}/api/jobs`, { key: "mock_full" })).status).toBe(200);
  });

  it("does not perform a request that was cut off", async () => {
    const world = await mock.world();
    const path = new URL(`${mock.api_url}/api/repos/${world.repos[0]}/jobs`).pathname;
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${world.keys.full}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n`;
    const socket = connect(Number(new URL(mock.api_url).port), "127.0.0.1");
    await new Promise<void>((resolve) => socket.end(`${head}{"workflow"`, () => resolve()));
    await new Promise<void>((resolve) => socket.on("close", () => resolve()).resume());
    expect(world.journal()).toEqual([]);
    world.remove();
  });

  it("answers an internal failure with internal_error, logs one line, and continues", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const failing = (world: World, call: IncomingCall) => {
      if ("fail" in call.query) throw new TypeError("workspace is\nundefined");
      return perform(world, call);
    };
    const brokenMock = await startMock(
      {},
      { service: { perform: failing, authenticateToolCaller, drawToolRequest, performTool } },
    );
    const response = await send(`GET ${brokenMock.api_url}/api/jobs?fail`, { key: brokenMock.keys.full! });
    expect([response.status, response.json.error.code]).toEqual([500, "internal_error"]);
    expect(response.text).not.toContain("TypeError");
    expect(log.mock.calls).toHaveLength(1);
    expect(log.mock.calls[0]![0]).not.toContain("\n");
    log.mockRestore();
    expect((await send(`GET ${brokenMock.api_url}/api/jobs`, { key: "mock_full" })).status).toBe(200);
    await brokenMock.close();
  });
});

describe("access to the API", () => {
  it.each([
    ["the socket's address", {}, 401],
    ["an address in the range", { "x-mock-client-ip": "203.0.113.7" }, 200],
    ["an address outside", { "x-mock-client-ip": "203.0.114.7" }, 401],
    ["an invalid address", { "x-mock-client-ip": "203.0.113" }, 401],
    ["a forwarding header, which is always ignored", { "x-forwarded-for": "203.0.113.7" }, 401],
  ])("checks the network of a key by %s", async (_, headers, status) => {
    expect((await send(`GET ${mock.api_url}/api/jobs`, { key: "mock_fenced", headers })).status).toBe(status);
  });

  it("ignores the test header unless the mock was started with it", async () => {
    const strict = await startMock({ clock: "frozen" });
    const response = await send(`GET ${strict.api_url}/api/jobs`, {
      key: "mock_fenced",
      headers: { "x-mock-client-ip": "203.0.113.7" },
    });
    await strict.close();
    expect(response.status).toBe(401);
  });

  it("lets pages of this machine read answers, and no other pages", async () => {
    const preflight = { "access-control-request-method": "GET", origin: mock.docs_url };
    const allowedClientResponse = await send(`OPTIONS ${mock.api_url}/api/jobs`, { headers: preflight });
    expect([allowedClientResponse.status, allowedClientResponse.headers["access-control-allow-origin"]]).toEqual([
      204,
      mock.docs_url,
    ]);
    const clientResponse = await send(`OPTIONS ${mock.api_url}/api/jobs`, {
      headers: { ...preflight, origin: "https://evil.example" },
    });
    expect([clientResponse.status, clientResponse.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
    const localClientResponse = await send(`GET ${mock.api_url}/api/jobs`, {
      key: "mock_full",
      headers: { origin: "http://localhost:5173" },
    });
    expect(localClientResponse.headers["access-control-allow-origin"]).toBe("http://localhost:5173");
    const evil = await send(`GET ${mock.api_url}/api/jobs`, {
      key: "mock_full",
      headers: { origin: "http://localhost.evil.example" },
    });
    expect(evil.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("the app and docs hosts", () => {
  it("forwards API calls of a signed-in person to the same world", async () => {
    const path = `/api/repos/${mock.repos[1]}/jobs`;
    const response = await send(`POST ${mock.app_url}${path}`, {
      json: { workflow: "discover", params: {} },
      headers: { cookie: `a=b; ${mock.sessions.admin}` },
    });
    expect(response.status).toBe(201);
    expect((await send(`GET ${mock.api_url}/api/jobs/${response.json.id}`, { key: "mock_full" })).json.workflow).toBe("discover");
  });

  it("ignores a cookie on the API host", async () => {
    expect((await send(`GET ${mock.api_url}/api/jobs`, { headers: { cookie: mock.sessions.owner! } })).status).toBe(401);
  });

  it("serves the OpenAPI document on the docs host, with this mock as the server", async () => {
    const response = await send(`GET ${mock.docs_url}/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.json).toMatchObject({ openapi: "3.1.0", servers: [{ url: mock.api_url }] });
  });

  it.each([
    ["GET", "docs_url", "/nowhere", 404],
    ["POST", "docs_url", "/openapi.json", 405],
    ["GET", "app_url", "/nowhere", 404],
    ["GET", "app_url", "/__mock/health", 404],
  ] as const)("answers %s %s%s with %i", async (method, host, path, status) => {
    const response = await send(`${method} ${mock[host]}${path}`);
    expect(response.status).toBe(status);
    const { type, code, message, request_id } = response.json.error;
    expect([type, code, typeof message]).toEqual(
      status === 404 ? ["not_found", "not_found", "string"] : ["invalid_request_error", "method_not_allowed", "string"],
    );
    expect(request_id).toBe(response.headers["x-request-id"]);
  });

  it("serves the document on the API host to the entitled key only, and at the gated path only", async () => {
    const ask = async (path: string, key?: string) => (await send(`GET ${mock.api_url}${path}`, { key })).status;
    const keys = [undefined, "mock_full", "mock_free", "mock_staff"];
    expect(await Promise.all(keys.map((key) => ask("/openapi.json", key)))).toEqual([401, 404, 404, 404]);
    expect(await Promise.all(keys.map((key) => ask("/api/openapi.json", key)))).toEqual([401, 402, 402, 200]);
  });
});
