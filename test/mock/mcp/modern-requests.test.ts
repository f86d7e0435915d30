import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mock, startMock } from "../../../src/index.js";
import { initialize, metadata, post, postModern, request } from "./messages.js";

const keys = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  client: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
};

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen", limits: "off" });
});
afterAll(() => mock.close());

const metaWith = (more: object) => ({ _meta: { ...metadata, ...more } });
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;

describe("a request of a modern revision is refused with 400", () => {
  test.each<[what: string, params: object, headers: Record<string, string | undefined>, code: number, names: string]>([
    ["without metadata", { _meta: undefined }, {}, -32602, "_meta is missing"],
    ["with metadata that is not an object", { _meta: "x" }, {}, -32600, "not a JSON-RPC message"],
    ["without a revision", metaWith({ [keys.version]: undefined }), {}, -32602, `${keys.version} is missing`],
    ["with a number as revision", metaWith({ [keys.version]: 2026 }), {}, -32602, `${keys.version} must be a string`],
    ["without capabilities", metaWith({ [keys.capabilities]: undefined }), {}, -32602, `${keys.capabilities} is missing`],
    ["with a list of capabilities", metaWith({ [keys.capabilities]: [] }), {}, -32602, `${keys.capabilities} must be an object`],
    ["with a client without a version", metaWith({ [keys.client]: { name: "x" } }), {}, -32602, keys.client],
    ["with an unknown log level", metaWith({ [keys.logLevel]: "loud" }), {}, -32602, "debug, info"],
    ["without the header of the revision", {}, { "mcp-protocol-version": undefined }, -32020, "MCP-Protocol-Version is missing"],
    ["with another revision in the header", {}, { "mcp-protocol-version": "2025-11-25" }, -32020, "2025-11-25"],
    ["with another revision in the body", metaWith({ [keys.version]: "2099-01-01" }), {}, -32020, "2099-01-01"],
    ["without the header of the method", {}, { "mcp-method": undefined }, -32020, "Send tools/call"],
    ["with another method in the header", {}, { "mcp-method": "tools/list" }, -32020, "Mcp-Method is tools/list"],
    ["with the method in capitals", {}, { "mcp-method": "TOOLS/CALL" }, -32020, "Mcp-Method is TOOLS/CALL"],
    ["without the header of the tool", {}, { "mcp-name": undefined }, -32020, "Send list_guides"],
    ["with another tool in the header", {}, { "mcp-name": "read_guide" }, -32020, "Mcp-Name is read_guide"],
    ["with another tool in Base64", {}, { "mcp-name": base64("read_guide") }, -32020, "Mcp-Name is read_guide"],
    ["with a tool name that is not Base64", {}, { "mcp-name": "=?base64?%%%?=" }, -32020, "Mcp-Name is not valid"],
    ["with a tool in other letters than ASCII", { name: "\u00e9" }, { "mcp-name": "\u00e9" }, -32020, "Mcp-Name is not valid"],
    ["that accepts JSON only", {}, { accept: "application/json" }, -32600, "text/event-stream"],
  ])("%s", async (_, params, headers, code, names) => {
    const call = { name: "list_guides", arguments: {}, ...params };
    const { status, json } = await postModern(mock.mcp_url, mock.keys.full, "tools/call", call, headers);
    expect(status).toBe(headers.accept ? 406 : 400);
    expect(json).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code, message: expect.stringContaining(names) },
    });
    expect(mock.journal().at(-1)).toMatchObject({ route: null, status, reason: json.error.message, changes: [] });
  });

  test.each(["1900-01-01", "2099-01-01", "2025-11-25", "no such revision"])("of the revision %s", async (version) => {
    const params = metaWith({ [keys.version]: version });
    const response = await postModern(mock.mcp_url, mock.keys.full, "server/discover", params, {
      "mcp-protocol-version": version,
    });
    expect(response).toMatchObject({
      status: 400,
      json: { id: 7, error: { code: -32022, data: { supported: ["2026-07-28"], requested: version } } },
    });
  });

  test("that is a handshake with the newest revision in its header", async () => {
    const headers = { "mcp-protocol-version": "2026-07-28" };
    const response = await post(mock.mcp_url, mock.keys.full, initialize(), { headers });
    expect(response).toMatchObject({ status: 400, json: { id: 1, error: { code: -32602 } } });
  });

  test("that names an unknown revision in its header alone", async () => {
    const headers = { "mcp-protocol-version": "2099-01-01" };
    const response = await post(mock.mcp_url, mock.keys.full, request("tools/list"), { headers });
    expect(response).toMatchObject({ status: 400, json: { id: 1, error: { code: -32022, data: { requested: "2099-01-01" } } } });
  });

  test.each([
    ["a batch", JSON.stringify([request("tools/list")]), -32600],
    ["a response", JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }), -32600],
    ["no JSON", "{", -32700],
    ["no message", '{"hello":1}', -32600],
  ])("that is %s, without an id", async (_, body, code) => {
    const headers = { "mcp-protocol-version": "2026-07-28" };
    const { status, json } = await post(mock.mcp_url, mock.keys.full, null, { body, headers });
    expect({ status, json }).toEqual({ status: 400, json: { jsonrpc: "2.0", error: { code, message: expect.any(String) } } });
  });

  test("that is a notification of an unknown revision", async () => {
    const headers = { "mcp-protocol-version": "2099-01-01" };
    const message = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    const response = await post(mock.mcp_url, mock.keys.full, message, { headers });
    expect(response).toMatchObject({ status: 400, json: { error: { code: -32022 } } });
  });
});

describe("a request of a modern revision is served", () => {
  test.each<[what: string, params: object, headers: Record<string, string | undefined>]>([
    ["without information about the client", metaWith({ [keys.client]: undefined }), {}],
    ["with a log level", metaWith({ [keys.logLevel]: "debug" }), {}],
    ["with keys of extensions", metaWith({ traceparent: "x", "com.example/x": 1 }), {}],
    ["with the tool in Base64", {}, { "mcp-name": base64("list_guides") }],
    ["with headers of parameters", {}, { "mcp-param-region": "x" }],
    ["with Last-Event-ID", {}, { "last-event-id": "1" }],
  ])("%s", async (_, params, headers) => {
    const call = { name: "list_guides", arguments: {}, ...params };
    const response = await postModern(mock.mcp_url, mock.keys.full, "tools/call", call, headers);
    expect(response).toMatchObject({ status: 200, json: { result: { resultType: "complete" } } });
    expect(response.json.result.isError).toBeUndefined();
  });
});
