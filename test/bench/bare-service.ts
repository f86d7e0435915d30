import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** The data of the service that the bench compares with. */
export interface BareState {
  key: string;
  /** The page's rows, as the service shows them. */
  rows: { ref: string }[];
  job: { id: string };
}

/**
 * The second reference: these four requests written by hand on node:http only. It authenticates the caller, checks
 * the request, reads or creates the row, numbers the call, and keeps the last thousand calls. Arguments: port and file of the state.
 */
const state = JSON.parse(readFileSync(process.argv[3]!, "utf8")) as BareState;
const keys = new Map([[state.key, { scopes: new Set(["view", "submit"]) }]]);
const observations = new Map(state.rows.map((row) => [row.ref, row]));
const jobs = new Map<string, object>([[state.job.id, state.job]]);
const workflows = new Set(["audit", "fix", "review"]);
const calls: object[] = [];
let number = 0;

createServer((request, response) => {
  if (request.method !== "POST") {
    respond(request, response, undefined);
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => respond(request, response, JSON.parse(String(Buffer.concat(chunks)))));
}).listen(Number(process.argv[2]), "127.0.0.1");

function respond(request: IncomingMessage, response: ServerResponse, sent: unknown): void {
  const key = keys.get((request.headers.authorization ?? "").slice("Bearer ".length));
  const [status, shown] = key ? getResult(request.url ?? "", sent, key.scopes) : [401, { error: "unauthenticated" }];
  const text = JSON.stringify(shown);
  number++;
  calls[number % 1000] = {
    at: Date.now(),
    method: request.method,
    url: request.url,
    headers: request.rawHeaders,
    sent,
    status,
    text,
  };
  response.writeHead(status, {
    "x-request-id": `req_${String(number).padStart(8, "0")}`,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

function getResult(url: string, sent: unknown, scopes: Set<string>): [status: number, shown: unknown] {
  const [path = "", query] = url.split("?");
  if (path === "/mcp/") return [200, toolResult(sent as { id: number; params: { arguments: { job_id: string } } })];
  if (path.endsWith("/jobs"))
    return scopes.has("submit") ? submit(path, sent as { workflow: string; params: object }) : [403, null];
  if (path === "/api/observations") return [200, getPage(Number(new URLSearchParams(query).get("limit") ?? 50))];
  const found = observations.get(path.slice(path.lastIndexOf("/") + 1));
  return found ? [200, { ...found }] : [404, { error: "not_found" }];
}

function getPage(limit: number): object {
  const data = state.rows.slice(0, limit).map((row) => ({ ...row }));
  return { data, next_cursor: Buffer.from(String(limit)).toString("base64"), has_more: true };
}

function submit(path: string, { workflow, params }: { workflow: string; params: object }): [number, object] {
  if (!workflows.has(workflow) || typeof params !== "object") return [422, { error: "unprocessable" }];
  const now = new Date().toISOString();
  const job = { ...state.job, id: randomUUID(), workflow, repo_name: path, params, created_at: now, updated_at: now };
  jobs.set(job.id, job);
  return [201, job];
}

function toolResult({ id, params }: { id: number; params: { arguments: { job_id: string } } }): object {
  const structuredContent = jobs.get(params.arguments.job_id);
  return {
    jsonrpc: "2.0",
    id,
    result: { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent },
  };
}
