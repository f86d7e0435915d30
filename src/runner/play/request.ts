import type { McpText, RequestText } from "../scenario/format.js";
import { interpolate, interpolateText, type Lookup, variablesIn } from "../scenario/interpolate.js";
import { boundTool } from "../scenario/tools.js";
import type { Target } from "../target/target.js";
import type { WireRequest } from "../wire/exchange.js";
import { rpcRequest } from "../wire/mcp.js";
import { roleOf } from "./needs.js";
import { encodeForPath } from "./variables.js";

/** What a request is built with: addresses, variables and credentials. */
export interface Surroundings {
  target: Target;
  look: Lookup;
  keys: ReadonlyMap<string, string>;
  sessions: Readonly<Record<string, string>>;
}

/** A request ready to be sent, or why it cannot be. */
export type Prepared = { ok: true; request: WireRequest } | { ok: false; why: string };

/** Builds the request of a rest or mcp step. A variable or credential that is not there is a reason, not an exception. */
export function prepare(text: RequestText & { mcp?: McpText }, surroundings: Surroundings): Prepared {
  const { target, look, keys, sessions } = surroundings;
  const { rest, query, headers, json, body, authorization, mcp, as } = text;
  const missing = variablesIn({ rest, query, headers, json, body, authorization, mcp, as, session: text.session }).find(
    (name) => look(name) === undefined,
  );
  if (missing !== undefined) return { ok: false, why: `{${missing}} has no value` };
  const role = roleOf({ ...text, ...(as && { as: interpolateText(as, look) }) });
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
  const own = lowerCased(interpolate(headers ?? {}, look));
  const base = target.urls[text.at ?? (mcp ? "mcp" : session === undefined ? "api" : "app")];
  if (base === undefined) return { ok: false, why: "the target has no such address" };
  if (mcp) {
    const ask = boundTool(interpolate(mcp, look), (name) => look(`binding.${name}`));
    const url = (text.at ?? "mcp") === "mcp" ? base : `${base}/mcp/`; // MCP-ENDPOINT-PATH: the other hosts' addresses are without a path
    const request = rpcRequest(url, ask, {});
    return { ok: true, request: { ...request, headers: present({ ...request.headers, ...credentials, ...own }) } };
  }
  return { ok: true, request: restRequest({ ...text, rest: rest ?? "" }, base, look, { ...credentials, ...own }) };
}

function restRequest(
  text: RequestText & { rest: string },
  base: string,
  look: Lookup,
  headers: Record<string, string | null>,
): WireRequest {
  const [method = "", path = ""] = text.rest.split(" ");
  const content = contentOf(text, look);
  const accept = { accept: "application/json" };
  return {
    method,
    url: base + interpolateText(path, look, encodeForPath) + queryString(interpolate(text.query ?? {}, look)),
    headers: present({ ...accept, ...content?.headers, ...headers }),
    ...(content && { body: content.bytes }),
  };
}

function contentOf(text: RequestText, look: Lookup): { bytes: Uint8Array; headers: Record<string, string> } | undefined {
  const encoded = (content: string) => new TextEncoder().encode(content);
  if (text.bytes !== undefined && text.bytes !== null) return { bytes: Buffer.from(text.bytes, "base64"), headers: {} };
  if (text.body !== undefined && text.body !== null) return { bytes: encoded(interpolateText(text.body, look)), headers: {} };
  if (text.json === undefined) return undefined;
  return { bytes: encoded(JSON.stringify(interpolate(text.json, look))), headers: { "content-type": "application/json" } };
}

function queryString(query: Record<string, unknown>): string {
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

/** The headers that are sent: null takes one away. */
function present(headers: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== null));
}
