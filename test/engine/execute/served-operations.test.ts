import { expect, test } from "vitest";
import { createPassedOutcome } from "../../../src/engine/execute/check.js";
import { openServedOperations } from "../../../src/engine/execute/served-operations.js";
import type { WireRequest, WireResponse } from "../../../src/engine/http/exchange.js";
import { createTargetAtUrl } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";

const targetResult = createTargetAtUrl(suite.target, "http://a.example/prefix");
if (!targetResult.ok) throw new Error("no target");
const target = { ...targetResult.target, bindings: { tools: { submit_job: "start_run" } } };

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const request = (method: string, path: string, body?: unknown): WireRequest => ({
  ...{ method, url: `http://a.example/prefix${path}`, headers: {} },
  ...(body !== undefined && { body: bytes(body) }),
});
const response = (status: number, body: unknown = {}): WireResponse => ({ status, headers: {}, body: bytes(body) });
const call = (name: string) =>
  request("POST", "/mcp/", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } });
const result = (isError: boolean) =>
  response(200, { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "{}" }], isError } });
const rpcError = response(200, { jsonrpc: "2.0", id: 1, error: { code: -32602, message: "no" } });

test.each<[what: string, request: WireRequest, response: WireResponse, names: string[]]>([
  ["a route", request("GET", "/api/jobs/7?x=1"), response(200), ["GET /api/jobs/{job_id}", "any route"]],
  ["a refused request", request("GET", "/api/jobs/7"), response(404), []],
  ["a redirect", request("GET", "/api/jobs/7"), response(302), []],
  ["an unknown route", request("GET", "/api/no-such"), response(200), []],
  ["a tool with another name", call("start_run"), result(false), ["any tool", "tool submit_job"]],
  ["a tool error", call("start_run"), result(true), []],
  ["a JSON-RPC error", call("start_run"), rpcError, []],
  ["a tool that the contract does not have", call("no_such"), result(false), []],
  ["another message to the tool server", request("POST", "/mcp/", { jsonrpc: "2.0", id: 1, method: "ping" }), result(false), []],
])("the operations that succeeded are known after %s", (_, sentWireRequest, serverResponse, names) => {
  const servedOperations = openServedOperations(suite, target);
  servedOperations.note({ request: sentWireRequest, response: serverResponse, startedAt: 0, endedAt: 0 });
  expect(servedOperations.names()).toEqual(names);
});

test.each<[what: string, request: WireRequest, responses: WireResponse[], contrast: string | undefined]>([
  ["of a route", request("PATCH", "/api/keys/k1"), [response(401)], "PATCH /api/keys/{key_id}"],
  ["of an unknown route", request("GET", "/api/no-such"), [response(404)], "any route"],
  ["of a tool", call("start_run"), [result(true)], "tool submit_job"],
  ["of an unknown tool", call("no_such"), [rpcError], "any tool"],
  ["of some requests of a burst", request("GET", "/api/jobs"), [response(200), response(429)], undefined],
  ["of all requests of a burst", request("GET", "/api/jobs"), [response(429), response(429)], "GET /api/jobs"],
  ["that is a redirect", request("POST", "/mcp"), [response(307)], undefined],
  ["that is not a refusal", request("GET", "/api/jobs"), [response(200)], undefined],
])("a pass by a refusal %s names its operation", (_, sentWireRequest, responses, contrast) => {
  const outcome = openServedOperations(suite, target).withContrasts(createPassedOutcome(1), sentWireRequest, responses);
  expect(outcome).toEqual({ ...createPassedOutcome(1), ...(contrast !== undefined && { contrasts: [contrast] }) });
});

const cancel = request("POST", "/api/jobs/j-70/cancel");
const CANCEL = "POST /api/jobs/{job_id}/cancel";
const wireRequest = request("GET", "/api/jobs/j-70");
const submit = request("POST", "/api/repos/acme/shop/main/jobs", { workflow: "audit" });
const SUBMIT = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const RETRY = "POST /api/jobs/{job_id}/retry";
type Exchanged = [WireRequest, WireResponse];
const running: Exchanged = [wireRequest, response(200, { status: "running" })];
const cancelled: Exchanged = [wireRequest, response(200, { status: "cancelled" })];
const served: Exchanged = [cancel, response(200)];
const otherServed: Exchanged = [request("POST", "/api/jobs/j-70/retry"), response(201)];

const long: Exchanged = [wireRequest, response(200, { status: "x".repeat(20_000) })];
const shortened: Exchanged = [wireRequest, { ...response(200, { status: "(20000 characters)" }), isShortened: true }];

test.each<[what: string, exchanges: Exchanged[], contrasts: string[] | undefined, effects: string[]]>([
  ["no write", [running], undefined, []],
  ["a refused write", [[cancel, response(409)], running], [CANCEL], []],
  ["a write and a different answer", [running, served, cancelled], [`effect of ${CANCEL}`], [`effect of ${CANCEL}`]],
  ["a write and the same answer", [running, served, running], [`effect of ${CANCEL}`], [`no effect of ${CANCEL}`]],
  ["a write without a read before it", [served, cancelled], [`effect of ${CANCEL}`], []],
  ["two writes", [running, otherServed, served, cancelled], [`effect of ${CANCEL}`], []],
  ["a refused read", [running, served, [wireRequest, response(404)]], [`effect of ${CANCEL}`], [`effect of ${CANCEL}`]],
  [
    "a write that names what is read",
    [[submit, response(201, { id: "j-70" })], running],
    [`effect of ${SUBMIT}`],
    [`effect of ${SUBMIT}`],
  ],
  ["a write that names something else", [[submit, response(201, { id: "j-71" })], running], [`effect of ${SUBMIT}`], []],
  [
    "a write whose answer has the id as a field name",
    [[submit, response(201, { "j-70": 1 })], running],
    [`effect of ${SUBMIT}`],
    [],
  ],
  ["a redirected write", [running, [cancel, response(307)], cancelled], [CANCEL], []],
  ["a write and a longer answer", [running, served, long], [`effect of ${CANCEL}`], []],
  ["a write and a shortened answer", [running, served, shortened], [`effect of ${CANCEL}`], []],
])("a read after %s needs its success or effect", (_, exchanges, contrasts, effects) => {
  const operations = openServedOperations(suite, target);
  for (const [sent, serverResponse] of exchanges)
    operations.note({ request: sent, response: serverResponse, startedAt: 0, endedAt: 0 });
  expect(operations.withContrasts(createPassedOutcome(1), wireRequest, [response(200)]).contrasts).toEqual(contrasts);
  expect(operations.names().filter((name) => name.includes("effect"))).toEqual(effects);
});

const isRunning = ({ body }: WireResponse) => new TextDecoder().decode(body).includes("running");

test.each<[what: string, exchanges: Exchanged[], contrasts: string[], effects: string[]]>([
  ["stayed as expected", [running, served, running], [CANCEL], []],
  ["stayed as expected after a refused write too", [running, served, [cancel, response(409)], running], [CANCEL], []],
  ["was read twice", [running, served, running, running], [CANCEL], []],
  ["has become as expected", [cancelled, served, running], [`effect of ${CANCEL}`], [`effect of ${CANCEL}`]],
  ["was not read before", [served, running], [`effect of ${CANCEL}`], []],
  ["was not read since another write", [running, served, long, otherServed, running], [`effect of ${RETRY}`], []],
])("a pass by an answer that %s needs a success or an effect of the write", (_, exchanges, contrasts, effects) => {
  const operations = openServedOperations(suite, target);
  for (const [sent, serverResponse] of exchanges)
    operations.note({ request: sent, response: serverResponse, startedAt: 0, endedAt: 0 });
  expect(operations.withContrasts(createPassedOutcome(1), wireRequest, [response(200)], isRunning).contrasts).toEqual(contrasts);
  expect(operations.names().filter((name) => name.includes("effect"))).toEqual(effects);
});

test("a filter by a status in the response to a write is not an effect of this write", () => {
  const operations = openServedOperations(suite, target);
  const list = (value: string) =>
    request("POST", "/mcp/", {
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "list_jobs", arguments: { status: value } },
    });
  const created = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: '{"id":"j-70","status":"cancelled"}' }] } };
  const effectsAfter = (value: string) => {
    operations.note({ request: list(value), response: result(false), startedAt: 0, endedAt: 0 });
    return operations.names().filter((name) => name.includes("effect"));
  };
  operations.note({ request: call("start_run"), response: response(200, created), startedAt: 0, endedAt: 0 });
  expect(effectsAfter("cancelled")).toEqual([]);
  expect(effectsAfter("content")).toEqual([]);
  expect(effectsAfter("j-70")).toEqual(["effect of tool submit_job"]);
});

test("a tool error for the rate of calls shows no effect", () => {
  const operations = openServedOperations(suite, target);
  const text = '{"error":{"type":"rate_limit_error","code":"rate_limit_qps","message":"Slow down.","request_id":"r"}}';
  const limited = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }], isError: true } };
  const responses = [result(false), response(200, limited)];
  for (const [index, serverResponse] of responses.entries()) {
    if (index > 0) operations.note({ request: cancel, response: response(200), startedAt: 0, endedAt: 0 });
    operations.note({ request: call("list_jobs"), response: serverResponse, startedAt: 0, endedAt: 0 });
  }
  expect(operations.names().filter((name) => name.includes("effect"))).toEqual([]);
});

test("a large answer to a large write is compared with no read", () => {
  const operations = openServedOperations(suite, target);
  const ids = Array.from({ length: 200_000 }, (_, index) => `id-${index}`);
  const large = request("POST", "/api/repos/acme/shop/main/jobs", { note: "x".repeat(1_000_000) });
  operations.note({ request: large, response: response(201, { id: "j-70", ids }), startedAt: 0, endedAt: 0 });
  operations.note({ request: wireRequest, response: running[1], startedAt: 0, endedAt: 0 });
  expect(operations.names().filter((name) => name.includes("effect"))).toEqual([]);
});

test("an event or a wait cancels the effect of a write", () => {
  const operations = openServedOperations(suite, target);
  const exchange = ([sent, serverResponse]: Exchanged) =>
    operations.note({ request: sent, response: serverResponse, startedAt: 0, endedAt: 0 });
  for (const exchanged of [running, served]) exchange(exchanged);
  operations.noteEvent();
  exchange(cancelled);
  expect(operations.withContrasts(createPassedOutcome(1), wireRequest, [response(200)])).toEqual(createPassedOutcome(1));
  expect(operations.names().filter((name) => name.includes("effect"))).toEqual([]);
});
