import type { WireRequest } from "../http/exchange.js";
import { createRpcRequest } from "../http/mcp.js";
import { adaptToRevision } from "../http/mcp-revisions.js";
import type { RequestText, Row, StepRequest } from "../scenario/format.js";
import { interpolate, interpolateText, isRecord, type Lookup, percentEncode } from "../scenario/interpolate.js";
import { findRole } from "../scenario/needs.js";
import type { CompileRules } from "../scenario/requests.js";
import type { CompiledRequest, CompiledStep } from "../scenario/scenario.js";
import { bindTool } from "../scenario/tool-call.js";
import type { TargetRules } from "../target/rules.js";
import type { Target } from "../target/target.js";

/** The inputs for building a request: the rules of the suite, the target's addresses, variables and credentials. */
export interface RequestContext {
  run: { suite: CompileRules & { target: TargetRules } };
  target: Target;
  look: Lookup;
  keys: ReadonlyMap<string, string>;
  sessions: Readonly<Record<string, string>>;
}

/** A request that can be sent, or why it could not be built. */
export type BuildResult = { ok: true; request: WireRequest } | { ok: false; why: string };

/** Builds the first request of a step. */
export function buildFirstRequest({ requests: [request] }: CompiledStep, context: RequestContext): BuildResult {
  return request ? buildRequest(request, context) : { ok: false, why: "the step has no request" };
}

/** Builds a request from its text. Returns a reason if a variable or credential is missing. */
export function buildRequest({ text, variables }: CompiledRequest, context: RequestContext): BuildResult {
  const { target, look, keys, sessions, run } = context;
  const { rest = "", headers = {}, authorization, mcp, as } = text;
  const missing = variables.find((name) => look(name) === undefined);
  if (missing !== undefined) return { ok: false, why: `{${missing}} has no value` };
  const role = findRole({ ...text, ...(as && { as: interpolateText(as, look) }) }, run.suite.defaultRole);
  const key = role === undefined ? undefined : keys.get(role);
  if (role !== undefined && key === undefined) return { ok: false, why: `there is no key for ${role}` };
  const session = text.session === undefined ? undefined : interpolateText(text.session, look);
  const cookie = session === undefined ? undefined : sessions[session];
  if (session !== undefined && cookie === undefined) return { ok: false, why: `there is no session for ${session}` };
  const credentials = {
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(authorization !== undefined && { authorization: interpolateText(authorization, look) }),
    ...(cookie !== undefined && { cookie }),
  };
  const own = lowerCased(interpolate(headers, look));
  const base = target.urls[text.at ?? (mcp ? "mcp" : session === undefined ? "api" : "session")];
  if (base === undefined) return { ok: false, why: "the target has no such address" };
  if (mcp && target.mcpRefusal !== undefined) return { ok: false, why: target.mcpRefusal };
  if (mcp) {
    const ask = bindTool(interpolate(mcp, look), (name) => look(`binding.${name}`), run.suite.target.names?.combined);
    const url = (text.at ?? "mcp") === "mcp" ? base : `${base}${run.suite.target.toolServerPath}`; // only the mcp address includes the path of the tool server
    const request = createRpcRequest(url, ask, {});
    const sent = { ...request, headers: dropAbsentHeaders({ ...request.headers, ...credentials, ...own }) };
    return { ok: true, request: typeof ask.raw === "string" ? sent : adaptToRevision(sent, target) };
  }
  const request = buildRestRequest({ ...text, rest }, base, context, { ...credentials, ...own });
  return { ok: true, request: isRpc(text.json) ? adaptToRevision(request, target) : request };
}

/** Returns whether the body of a `rest` step is a JSON-RPC message. */
function isRpc(json: unknown): boolean {
  return isRecord(json) && "jsonrpc" in json;
}

function buildRestRequest(
  text: RequestText & { rest: string },
  base: string,
  context: RequestContext,
  headers: Record<string, string | null>,
): WireRequest {
  const { look, run } = context;
  const [method = "", path = ""] = text.rest.split(" ");
  const content = buildContent(text, context);
  const inPath = (value: string, name: string) => (run.suite.requests.variable(name)?.inPath ?? percentEncode)(value);
  const accept = { accept: "application/json" };
  return {
    method,
    url: base + interpolateText(path, look, inPath) + buildQuery(interpolate(text.query ?? {}, look)),
    headers: dropAbsentHeaders({ ...accept, ...content?.headers, ...headers }),
    ...(content && { body: content.bytes }),
  };
}

function buildContent(
  text: RequestText,
  { look, run: { suite }, target }: RequestContext,
): { bytes: Uint8Array; headers: Record<string, string> } | undefined {
  const encoded = (content: string) => new TextEncoder().encode(content);
  if (text.bytes !== undefined && text.bytes !== null) return { bytes: Buffer.from(text.bytes, "base64"), headers: {} };
  const stated = (json: unknown) => suite.requests.jsonBody?.(suite.requests.nameOf(text), json, target.bindings) ?? json;
  if (text.body !== undefined && text.body !== null)
    return { bytes: encoded(describeStatedBody(interpolateText(text.body, look), stated)), headers: {} };
  if (text.json === undefined) return undefined;
  return {
    bytes: encoded(JSON.stringify(stated(interpolate(text.json, look)))),
    headers: { "content-type": "application/json" },
  };
}

/** Returns a written body unchanged, unless it is JSON that the target takes in another form. */
function describeStatedBody(body: string, stated: (json: unknown) => unknown): string {
  try {
    const json: unknown = JSON.parse(body);
    const other = stated(json);
    return other === json ? body : JSON.stringify(other, null, 1);
  } catch {
    return body;
  }
}

function buildQuery(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((item): [string, string] => [name, String(item)]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

function lowerCased(headers: Record<string, unknown>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value === null ? null : String(value)]),
  );
}

/** Returns the headers without those whose value is null. */
function dropAbsentHeaders(headers: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== null));
}

/** Returns a request with the values of its row. Variables that are known only at run time stay. */
export function fillRequestRow(request: StepRequest, row: Row): StepRequest {
  const look = (name: string) => (typeof row[name] === "string" ? row[name] : `{${name}}`);
  return interpolate(interpolate(request, look), look);
}
