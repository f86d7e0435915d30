import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verify } from "../../../src/engine/run/verify.js";
import { suite } from "../../../src/suite/suite.js";
import { type Handler, type Received, serve } from "../server.js";

/** The behaviour of a test's tool server. By default it answers in JSON and keeps no sessions. */
export interface ServerBehaviour {
  sessions?: boolean;
  stream?: boolean;
  /** Items on a page of a list. */
  page?: number;
  /** Answers a call, given all calls so far; undefined = a result that says `done`. */
  call?: (name: string, given: Record<string, unknown>, calls: number) => object | undefined;
  /** HTTP status of every response, instead of 200. */
  status?: number;
  /** Answers every request with an HTML page. */
  html?: boolean;
  /** Writes the stream with the response to a call by itself. */
  write?: (response: ServerResponse, serverResponse: { jsonrpc: "2.0"; id: unknown }) => void;
  /** The target's deadline of one request. */
  timeoutSeconds?: number;
  /** Forgets all sessions after this many requests in one, and answers with this status from then on (default 404). */
  forgetsAfter?: number;
  forgottenStatus?: number;
}

interface Message {
  id?: unknown;
  method: string;
  params?: { name?: string; arguments?: Record<string, unknown>; cursor?: string; protocolVersion?: string };
}

const TOOLS = ["list_observations", "start", "watch"].map((name) => ({ name, inputSchema: { type: "object" } }));

/** Runs one scenario, given by its steps, against a tool server with these manners. */
export async function runTools(behaviour: ServerBehaviour, steps: string, bindings = "{}") {
  const server = await serve(toolServer(behaviour));
  const directory = mkdtempSync(join(tmpdir(), "tools-"));
  const [target, scenario] = [join(directory, "target"), join(directory, "one.yaml")];
  const head = "scenario: under-test\ntitle: A scenario of the runner's own tests\nproves: [MCP-TOOL-SUBMIT]\nsteps:\n";
  try {
    writeFileSync(
      target,
      `base_url: ${server.url}\nexclusive: true\ntiming: { rate_minute_s: 0.01, request_timeout_s: ${behaviour.timeoutSeconds ?? 30} }\nbindings: ${bindings}\n`,
    );
    writeFileSync(scenario, head + steps);
    const options = {
      target,
      key: "a-key-of-the-test",
      scenarios: directory,
      only: ["under-test*"],
      maxWait: 0.1,
      preflight: false,
    };
    const { report, messages } = await verify(suite, options);
    if (!report) throw new Error(messages.join("\n"));
    return { report, checks: report.checks, received: server.received.filter(({ path }) => path === "/mcp/") };
  } finally {
    rmSync(directory, { recursive: true });
    await server.close();
  }
}

/** Answers as a tool server with these manners, and all else as an empty list. */
export function toolServer(behaviour: ServerBehaviour): Handler {
  const sessions = new Map<string, number>();
  let calls = 0;
  return (request, serviceResponse, response) => {
    if (request.path !== "/mcp/") return serviceResponse(200, { data: [] });
    if (behaviour.status !== undefined) return serviceResponse(behaviour.status, { error: "no" });
    if (behaviour.html) return serviceResponse(200, "<h1>Welcome</h1>", { "content-type": "text/html" });
    if (request.method === "DELETE") return serviceResponse(204, "");
    const message = messageIn(request);
    const serverResponse = (body: object, headers: Record<string, string> = {}) => {
      const whole = { jsonrpc: "2.0" as const, id: message.id, ...body };
      if (behaviour.write && message.method === "tools/call")
        return behaviour.write(response.writeHead(200, { "content-type": "text/event-stream" }), whole);
      if (!behaviour.stream) return serviceResponse(200, whole, headers);
      const stream = `: hello\n\nevent: message\ndata: ${JSON.stringify(whole)}\n\n`;
      return serviceResponse(200, stream, { "content-type": "text/event-stream", ...headers });
    };
    const session = String(request.headers["mcp-session-id"]);
    if (message.method === "initialize") {
      const name = randomUUID();
      sessions.set(name, 0);
      return serverResponse({ result: initializeResult(message) }, behaviour.sessions ? { "mcp-session-id": name } : {});
    }
    if (behaviour.sessions && request.headers["mcp-session-id"] === undefined) return serviceResponse(400, problem("no session"));
    const uses = (sessions.get(session) ?? Number.POSITIVE_INFINITY) + 1;
    if (behaviour.sessions && uses > (behaviour.forgetsAfter ?? 1000))
      return serviceResponse(behaviour.forgottenStatus ?? 404, problem("no such session"));
    sessions.set(session, uses);
    if (message.id === undefined) return serviceResponse(202, "");
    if (message.method === "tools/call") calls += 1;
    return serverResponse(outcome(message, behaviour, calls));
  };
}

function messageIn({ body }: Received): Message {
  try {
    return JSON.parse(body) as Message;
  } catch {
    return { method: "none" };
  }
}

function initializeResult({ params }: Message): object {
  return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "test", version: "1" } };
}

function outcome({ method, params = {} }: Message, { page = 10, call }: ServerBehaviour, calls: number): object {
  if (method === "tools/list") {
    const from = Number(params.cursor ?? 0);
    const more = from + page < TOOLS.length ? { nextCursor: String(from + page) } : {};
    return { result: { tools: TOOLS.slice(from, from + page), ...more } };
  }
  if (method !== "tools/call") return { error: { code: -32601, message: "no such method" } };
  return call?.(params.name ?? "", params.arguments ?? {}, calls) ?? { result: { content: [{ type: "text", text: "done" }] } };
}

function problem(message: string): object {
  return { jsonrpc: "2.0", id: null, error: { code: -32000, message } };
}
