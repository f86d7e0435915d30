import { describe, expect, test } from "vitest";
import { createRpcRequest } from "../../../src/engine/http/mcp.js";
import {
  adaptToRevision,
  chooseSessionRevision,
  hasMethod,
  listArgumentHeaders,
  mcpRevisions,
} from "../../../src/engine/http/mcp-revisions.js";

const NEWEST = "2026-07-28";
const request = (message: object | string, headers = {}) => createRpcRequest("http://a.test/mcp/", { raw: message }, headers);
const call = (name: string, more = {}) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, ...more } });
const getText = ({ body }: { body?: Uint8Array }) => new TextDecoder().decode(body);

describe("a request in the newest revision", () => {
  test("tells the server about the client, and repeats its parts in headers", () => {
    const { headers, body = new Uint8Array() } = adaptToRevision(request(call("lend")), { mcpRevision: NEWEST });
    expect(headers).toMatchObject({ "mcp-protocol-version": NEWEST, "mcp-method": "tools/call", "mcp-name": "lend" });
    expect(JSON.parse(getText({ body })).params).toEqual({
      name: "lend",
      _meta: {
        "io.modelcontextprotocol/protocolVersion": NEWEST,
        "io.modelcontextprotocol/clientInfo": { name: "counterpart", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    });
  });

  test.each([
    ["a space at its end", "lend ", "=?base64?bGVuZCA=?="],
    ["another alphabet", "ärger", "=?base64?w6RyZ2Vy?="],
    ["the form of an encoded value", "=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="],
    ["spaces within", "lend a book", "lend a book"],
  ])("encodes a name with %s", (_, name, header) => {
    expect(adaptToRevision(request(call(name)), { mcpRevision: NEWEST }).headers["mcp-name"]).toBe(header);
  });

  test("repeats the arguments that the schema of the tool marks", () => {
    const properties = {
      shelf: { type: "string", "x-mcp-header": "Shelf" },
      days: { type: "integer", "x-mcp-header": "Days" },
      note: { type: "string", "x-mcp-header": "No header" },
      place: { type: "object", properties: { room: { type: "string", "x-mcp-header": "Room" } } },
    };
    const mcpHeaders = listArgumentHeaders("lend", { type: "object", properties });
    const given = { shelf: "ä", days: 3, note: "a", place: {} };
    const { headers } = adaptToRevision(request(call("lend", { arguments: given })), { mcpRevision: NEWEST, mcpHeaders });
    expect(Object.entries(headers).filter(([name]) => name.startsWith("mcp-param-"))).toEqual([
      ["mcp-param-shelf", "=?base64?w6Q=?="],
      ["mcp-param-days", "3"],
    ]);
  });

  test("keeps existing headers, so that a second call changes nothing", () => {
    const own = { "io.modelcontextprotocol/protocolVersion": "1900-01-01" };
    const once = adaptToRevision(request(call("lend", { _meta: own }), { "mcp-protocol-version": "1900-01-01" }), {
      mcpRevision: NEWEST,
    });
    expect(once.headers["mcp-protocol-version"]).toBe("1900-01-01");
    expect(getText(once)).toContain('"1900-01-01"');
    expect(adaptToRevision(once, { mcpRevision: NEWEST })).toEqual(once);
  });

  test.each<[string, object | string]>([
    ["text", "{not json"],
    ["a batch", [call("lend")]],
    ["a notification", { jsonrpc: "2.0", method: "notifications/cancelled" }],
    ["params that are a list", { ...call("lend"), params: ["a"] }],
    ["a method that is a number", { ...call("lend"), method: 7 }],
    ["a handshake", { jsonrpc: "2.0", id: 1, method: "initialize", params: {} }],
  ])("leaves %s as it is", (_, message) => {
    const wireRequest = request(message);
    expect(adaptToRevision(wireRequest, { mcpRevision: NEWEST })).toBe(wireRequest);
  });
});

test.each([undefined, ...mcpRevisions.slice(1)])("a request in revision %s stays as it is", (revision) => {
  const wireRequest = request(call("lend"));
  expect(adaptToRevision(wireRequest, revision ? { mcpRevision: revision } : {})).toBe(wireRequest);
});

test.each([
  [{}, undefined, ["initialize", "ping", "tools/list"]],
  [{ mcpRevision: "2025-06-18" }, "2025-06-18", ["initialize", "ping", "tools/list"]],
  [{ mcpRevision: NEWEST }, "never", ["server/discover", "tools/list"]],
  [{ mcpRevision: NEWEST, mcpHandshake: "2025-06-18" }, "2025-06-18", ["initialize", "ping", "server/discover", "tools/list"]],
] as const)("a run with the revisions %o opens sessions in %s", (spoken, session, methods) => {
  expect(chooseSessionRevision(spoken)).toBe(session);
  expect(["initialize", "ping", "server/discover", "tools/list"].filter((method) => hasMethod(spoken, method))).toEqual(methods);
});
