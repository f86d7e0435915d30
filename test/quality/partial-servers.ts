import { contract } from "../../src/contract/load.js";
import type { ServiceResponse } from "../../src/service/call.js";
import { copyWorld } from "../../src/service/world/copies.js";
import { type AroundTool, type Fault, getRoute } from "../mutants/mutant.js";
import type { AroundWire, ChangedResponse, RelayedRequest } from "../mutants/wire.js";
import { type ConstantServer, example, isControl, json, parseRecord } from "./constant-responses.js";

const JSON_RPC_ERRORS = [-32700, -32600, -32601, -32602, -32603, -32000];
const TOOL_RESULTS = ["", "{}", "[]", "null", '{"data":[],"next_cursor":null,"has_more":false}', '{"ok":true}'];

/** Servers that work in part, by name. */
export const partialServers: readonly [string, ConstantServer][] = [
  server("accepts every request and changes nothing", onWire(acceptAll)),
  server("refuses every write", {
    around: (world, call, perform) => (isWrite(getRoute(call)) ? refusal() : perform(world, call)),
    aroundTool: (world, call, perform) => (contract.tools[call.purpose].kind === "write" ? refusal() : perform(world, call)),
  }),
  server("answers every write well and changes nothing", {
    around: (world, call, perform) => perform(isWrite(getRoute(call)) ? copyWorld(world) : world, call),
    aroundTool: (world, call, perform) =>
      contract.tools[call.purpose].kind === "write" ? onCopy(world, call, perform) : perform(world, call),
  }),
  server("has no REST interface", onWire(withoutRest)),
  tools("has no tool server", () => ({ status: 404, headers: {}, text: "" })),
  tools("has no revision of MCP in common", withOtherRevision),
  ...JSON_RPC_ERRORS.map((code) => calls(`the JSON-RPC error ${code}`, () => ({ error: { code, message: "This failed." } }))),
  ...TOOL_RESULTS.map((text) => calls(`the text ${JSON.stringify(text)}`, () => result(text))),
  calls("no content", () => ({ result: { resultType: "complete", content: [] } })),
  calls("the arguments of the call", (given) => result(JSON.stringify(given), false, given)),
  calls("a tool error without text", () => result("", true)),
  calls("a tool error in plain words", () => result("Something went wrong.", true)),
  ...Object.entries(contract.errors).map(([code, { type, message }]) => {
    const body = { error: { type, code, message, request_id: "req_1" } };
    return calls(`the tool error ${code}`, () => result(JSON.stringify(body), true, body));
  }),
];

function server(name: string, fault: Fault): [string, ConstantServer] {
  return [name, { fault: () => fault }];
}

/** A server whose tool server does not work. The REST interface works, so only the scenarios of the tool server are run. */
function tools(name: string, response: (request: RelayedRequest) => ChangedResponse | undefined): [string, ConstantServer] {
  const fault = onWire(async (request, send) => (isForTools(request) ? response(request) : undefined) ?? send(request));
  return [name, { fault: () => fault, isToolsOnly: true }];
}

/** A server that gives one response to all tool calls. The rest of its tool server works. */
function calls(name: string, response: (given: object) => object): [string, ConstantServer] {
  return tools(`answers every tool call with ${name}`, ({ text }) => {
    const { method, id, params } = parseRecord(text) ?? {};
    const given = (params as { arguments?: object } | undefined)?.arguments ?? {};
    return method === "tools/call" ? json(200, { jsonrpc: "2.0", id, ...response(given) }) : undefined;
  });
}

function onWire(around: AroundWire): Fault {
  return { aroundWire: (request, send) => (isControl(request) ? send(request) : around(request, send)) };
}

/** Forwards reads and replaces their refusals by an example. Answers every write with an example. */
async function acceptAll(
  request: RelayedRequest,
  send: (request: RelayedRequest) => Promise<ChangedResponse>,
): Promise<ChangedResponse> {
  const { method: rpcMethod, id, params } = isForTools(request) ? (parseRecord(request.text) ?? {}) : {};
  if (isForTools(request) && rpcMethod !== "tools/call") return send(request);
  if (!isForTools(request) && request.method !== "GET") return example(request);
  const name = (params as { name?: string } | undefined)?.name;
  const tool = Object.values(contract.tools).find((one) => one.name === name);
  const changedResponse = isForTools(request) ? json(200, { jsonrpc: "2.0", id, ...result("{}", false, {}) }) : example(request);
  if (isForTools(request) && tool?.kind !== "read") return changedResponse;
  const response = await send(request);
  const isRefused = response.status >= 400 || (isForTools(request) && /"isError":true|"error":\{"code"/.test(response.text));
  return isRefused ? changedResponse : response;
}

async function withoutRest(
  request: RelayedRequest,
  send: (request: RelayedRequest) => Promise<ChangedResponse>,
): Promise<ChangedResponse> {
  return isForTools(request) ? send(request) : { status: 404, headers: {}, text: "" };
}

/** Answers `initialize` with a revision that no client knows. Refuses all other messages. */
function withOtherRevision({ text }: RelayedRequest): ChangedResponse {
  const { method, id } = parseRecord(text) ?? {};
  const started = { protocolVersion: "1999-01-01", capabilities: {}, serverInfo: { name: "other", version: "1" } };
  if (method === "initialize") return json(200, { jsonrpc: "2.0", id, result: started });
  return json(400, { jsonrpc: "2.0", id, error: { code: -32022, message: "Unsupported.", data: { supported: ["1999-01-01"] } } });
}

/** Performs a tool call on a copy of the world, so that it changes nothing. */
const onCopy: AroundTool = (world, call, perform) => {
  const copy = copyWorld(world);
  const workspace = copy.workspaces[call.caller.workspace.id] ?? call.caller.workspace;
  const key = copy.keys[call.caller.key.id] ?? call.caller.key;
  return perform(copy, { ...call, caller: { ...call.caller, workspace, key } });
};

function isForTools({ path }: RelayedRequest): boolean {
  return /^\/mcp\b/.test(path);
}

function isWrite(route: string | null): boolean {
  return route !== null && !route.startsWith("GET ");
}

function result(text: string, isError = false, structuredContent?: object): object {
  const content = [{ type: "text", text }];
  return { result: { resultType: "complete", content, isError, ...(structuredContent && { structuredContent }) } };
}

function refusal(): ServiceResponse {
  const { status, type, message } = contract.errors.permission_denied;
  const error = { type, code: "permission_denied", message, request_id: "req_1" };
  return { status, headers: {}, body: { error }, rule: "refused" as never, changes: [] };
}
