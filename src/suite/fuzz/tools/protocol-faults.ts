import type { Step } from "../../../engine/scenario/format.js";
import { escapeLiteral } from "../faults/literal.js";

/** A faulty request to the tool server that reaches no tool. */
export interface ProtocolFault {
  what: string;
  step: Step;
}

const callMessage = {
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name: "list_observations", arguments: { limit: 1 } },
};
const listMessage = { jsonrpc: "2.0", id: 7, method: "tools/list", params: {} };
const NESTED_LEVELS = 3000;

/** Invalid JSON-RPC messages, and messages that no server knows. */
const invalidMessages: readonly [what: string, message: unknown][] = [
  ["a batch", [listMessage, listMessage]],
  ["an empty batch", []],
  ["null", null],
  ["a number", 7],
  ["an empty object", {}],
  ["no method", { jsonrpc: "2.0", id: 7 }],
  ["a method that is a number", { ...listMessage, method: 7 }],
  ["an unknown method", { ...listMessage, method: "no/such" }],
  ["the name of a prototype as the method", { ...listMessage, method: "__proto__" }],
  ["version 1.0", { ...listMessage, jsonrpc: "1.0" }],
  ["no version", { id: 7, method: "tools/list" }],
  ["an id that is an object", { ...listMessage, id: { a: 1 } }],
  ["an id of null", { ...listMessage, id: null }],
  ["no id", { jsonrpc: "2.0", method: "tools/list" }],
  ["a huge id", { ...listMessage, id: 1e300 }],
  ["params that are a list", { ...listMessage, params: ["a"] }],
  ["params that are a text", { ...listMessage, params: "a" }],
  ["a cursor that is a number", { ...listMessage, params: { cursor: 7 } }],
  ["a call of no tool", { ...callMessage, params: {} }],
  ["a call of a number", { ...callMessage, params: { name: 7 } }],
  ["a call of an unknown tool", { ...callMessage, params: { name: "no_such_tool", arguments: {} } }],
  ["a call of the name of a prototype", { ...callMessage, params: { name: "constructor", arguments: {} } }],
  ["a call of a hostile name", { ...callMessage, params: { name: "\u0000\u202e😀<script>", arguments: {} } }],
  ["arguments that are a list", { ...callMessage, params: { name: "list_observations", arguments: [1] } }],
  ["arguments that are null", { ...callMessage, params: { name: "list_observations", arguments: null } }],
  ["arguments that are a text", { ...callMessage, params: { name: "list_observations", arguments: "{}" } }],
  ["a prompt that is unknown", { jsonrpc: "2.0", id: 7, method: "prompts/get", params: { name: "no_such_prompt" } }],
  ["a second handshake without a version", { jsonrpc: "2.0", id: 7, method: "initialize", params: {} }],
  ["a response without a request", { jsonrpc: "2.0", id: 7, result: {} }],
  ["a notification that is unknown", { jsonrpc: "2.0", method: "notifications/no_such" }],
];

/** Texts that are not messages. */
const invalidTexts: readonly [what: string, text: string][] = [
  ["cut short", JSON.stringify(listMessage).slice(0, -1)],
  ["no JSON", "{not json"],
  ["a form", "jsonrpc=2.0&method=tools/list"],
  ["nothing", ""],
  ["two messages", `${JSON.stringify(listMessage)}${JSON.stringify(listMessage)}`],
  ["a byte order mark", `\ufeff${JSON.stringify(listMessage)}`],
  ["a NUL behind", `${JSON.stringify(listMessage)}\u0000`],
  [
    "nested deep",
    `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"a":${"[".repeat(NESTED_LEVELS)}${"]".repeat(NESTED_LEVELS)}}}`,
  ],
  ["a field twice", '{"jsonrpc":"2.0","id":7,"id":8,"method":"tools/list"}'],
  ["a huge number", `{"jsonrpc":"2.0","id":${"9".repeat(400)},"method":"tools/list"}`],
];

/** Bytes that are not text. */
const invalidBytes: readonly [what: string, bytes: Buffer][] = [
  [
    "invalid UTF-8",
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":"'),
      Buffer.from([0xff, 0xc0, 0xaf]),
      Buffer.from('","method":"tools/list"}'),
    ]),
  ],
  ["UTF-16", Buffer.from(JSON.stringify(listMessage), "utf16le")],
];

/** Headers that a request should not have (MCP-HEADER-ACCEPT), and unknown protocol revisions. */
const headers: readonly [what: string, headers: Record<string, string | null>][] = [
  ["no accept", { accept: null }],
  ["accept of JSON alone", { accept: "application/json" }],
  ["accept of streams alone", { accept: "text/event-stream" }],
  ["accept of HTML", { accept: "text/html" }],
  ["accept of anything", { accept: "*/*" }],
  ["no content type", { "content-type": null }],
  ["a content type of text", { "content-type": "text/plain" }],
  ["a charset", { "content-type": "application/json; charset=utf-16" }],
  ["a coding that the body does not have", { "content-encoding": "gzip" }],
  ["a very old revision", { "mcp-protocol-version": "1900-01-01" }],
  ["a revision that does not exist", { "mcp-protocol-version": "no such revision" }],
  ["an unknown session", { "mcp-session-id": "no-such-session" }],
  ["an unknown last event id", { "last-event-id": "no-such-event" }],
  ["an invalid origin", { origin: "no origin" }],
];

/** Every faulty request to the tool server. */
export const protocolFaults: readonly ProtocolFault[] = [
  ...invalidMessages.map(([what, raw]) => ({
    what: `message: ${what}`,
    step: { mcp: { raw: escapeLiteral(raw), effect: "read" as const } },
  })),
  ...invalidTexts.map(([what, raw]) => ({
    what: `text: ${what}`,
    step: { mcp: { raw: escapeLiteral(raw), effect: "read" as const } },
  })),
  ...invalidBytes.map(([what, content]) => ({ what: `bytes: ${what}`, step: createBytesStep(content) })),
  ...headers.map(([what, values]) => ({
    what: `header: ${what}`,
    step: { mcp: { raw: listMessage, effect: "read" as const }, headers: values },
  })),
];

function createBytesStep(content: Buffer): Step {
  const type = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  return { rest: "POST /mcp/", headers: type, bytes: content.toString("base64") };
}
