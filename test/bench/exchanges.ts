import { request } from "undici";
import { contract } from "../../src/contract/load.js";
import type { LoadRequest } from "./load.js";
import type { MockServer } from "./mock.js";

/** The response to every request with one request line. */
export interface StaticResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The requests that servers are compared by. */
export const kinds = ["GET one observation", "a page of 100", "POST a job", "a tool call"] as const;
export type Kind = (typeof kinds)[number];

/** A request of each kind, and the response of the mock to it. */
export type Exchanges = Record<Kind, { shot: LoadRequest; answer: StaticResponse }>;

/** Requests one response of each kind from the mock. */
export async function askAll(mock: MockServer): Promise<Exchanges> {
  const pageShot: LoadRequest = { method: "GET", path: "/api/observations?limit=100", headers: bearer(mock), expect: 200 };
  const page = await responseTo(mock, pageShot);
  const { ref } = (JSON.parse(page.body) as { data: { ref: string }[] }).data[0]!;
  const post = await responseTo(mock, submission(mock));
  const get: LoadRequest = { ...pageShot, path: `/api/observations/${ref}` };
  const tool = toolCall(mock, (JSON.parse(post.body) as { id: string }).id);
  return {
    "GET one observation": { shot: get, answer: await responseTo(mock, get) },
    "a page of 100": { shot: pageShot, answer: page },
    "POST a job": { shot: submission(mock), answer: post },
    "a tool call": { shot: tool, answer: await responseTo(mock, tool) },
  };
}

/** A new job each time. No two are equal, so the service never answers with an existing job. */
export function submission(mock: MockServer): LoadRequest {
  return {
    method: "POST",
    path: `/api/repos/${mock.repo}/jobs`,
    headers: { ...bearer(mock), "content-type": "application/json" },
    body: JSON.stringify({ workflow: "audit", params: { paths: ["src/#.ts"] } }),
    expect: 201,
  };
}

/** The tool that shows one job. */
function toolCall(mock: MockServer, job_id: string): LoadRequest {
  const { name } = contract.tools.job_status;
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: { job_id } } };
  const accept = "application/json, text/event-stream";
  const headers = { ...bearer(mock), "content-type": "application/json", accept };
  return { method: "POST", path: "/mcp/", headers, body: JSON.stringify(call), expect: 200 };
}

function bearer({ key }: MockServer): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

/** One response, less the headers that every server adds by itself. */
async function responseTo({ url }: MockServer, { method, path, headers, body, expect }: LoadRequest): Promise<StaticResponse> {
  const response = await request(url + path, { method, headers, body: body ?? null });
  const text = await response.body.text();
  if (response.statusCode !== expect) throw new Error(`${method} ${path} gave ${response.statusCode}: ${text}`);
  const { date: _date, connection: _connection, "keep-alive": _keepAlive, ...rest } = response.headers;
  return { status: response.statusCode, headers: rest as Record<string, string>, body: text };
}
