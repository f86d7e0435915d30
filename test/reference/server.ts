import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Choices } from "./choices.js";
import { describeWorld, serveControl } from "./control.js";
import { publish } from "./document.js";
import { type ClientResponse, render } from "./edge.js";
import { foundWorld } from "./found.js";
import { notFoundRefusal } from "./operation-result.js";
import { type IncomingRequest, serveRest } from "./rest.js";
import { type Sessions, serveRpc } from "./rpc.js";
import { createId, getNow, type Service } from "./state.js";
import { describeTarget } from "./target.js";

/** A started reference server: its address, its target file, and a function that ends it. */
export interface Started {
  url: string;
  target: Record<string, unknown>;
  close(): Promise<void>;
}

/** The token that its control wants. */
export const OPS_TOKEN = "let-the-runner-in";

/** Starts one variant on a free port. */
export async function startReference(madeChoices: Choices): Promise<Started> {
  const choices = { ...madeChoices };
  const service: Service = { choices, worlds: new Map(), keys: new Map(), sessions: new Map() };
  const sessions: Sessions = new Map();
  const first = describeWorld(service, foundWorld(service));
  const server = createServer((request, response) => {
    const serve = (incomingRequest: IncomingRequest) => {
      Object.assign(choices, choices.redraw());
      const serverResponse = route(service, sessions, incomingRequest);
      send(choices, response, { ...serverResponse, headers: { ...getDate(service), ...serverResponse.headers } });
    };
    // a client that disconnects in the middle of a request gets no response
    void receive(request, choices).then(serve, () => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    target: describeTarget(choices, url, first),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function receive(request: IncomingMessage, { maxBytes, hosts, repeated }: Choices): Promise<IncomingRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  }
  const url = new URL(request.url ?? "/", "http://here");
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    query: getQuery(url.searchParams, repeated),
    twice: [...new Set(url.searchParams.keys())].filter((name) => url.searchParams.getAll(name).length > 1),
    headers: request.headers as Record<string, string | undefined>,
    body: size > maxBytes ? "too large" : Buffer.concat(chunks),
    address: request.socket.remoteAddress ?? "",
    host: url.pathname.startsWith(`${hosts.app}/`) ? "app" : "api",
  };
}

/** One value a name: of several the last, or the first. */
function getQuery(parameters: URLSearchParams, repeated: Choices["repeated"]): Record<string, string> {
  return Object.fromEntries(repeated === "first" ? [...parameters].reverse() : parameters);
}

/** Answers a request: the start of its path selects the host. */
function route(service: Service, sessions: Sessions, incomingRequest: IncomingRequest): ClientResponse {
  const { choices } = service;
  const { path, host } = incomingRequest;
  const { hosts } = choices;
  if (path === `${hosts.docs}/openapi.json`)
    return { status: 200, headers: { "content-type": choices.documentContent }, text: JSON.stringify(publish(choices)) };
  if (path.startsWith("/ops/") && choices.control !== "none") return control(service, incomingRequest);
  const prefix = host === "app" ? hosts.app : hosts.api;
  const inside = { ...incomingRequest, path: path.slice(prefix.length) };
  if (inside.path === "/mcp/") return serveRpc(service, sessions, inside);
  if (inside.path === "/mcp") return bareResponse(choices, inside, prefix);
  const world = [...service.worlds.values()][0];
  const requestId = world ? createId(world, "request") : "0";
  if (!path.startsWith(prefix) || !inside.path.startsWith("/api/")) return render(choices, notFoundRefusal("place"), requestId);
  return render(choices, serveRest(service, inside), requestId);
}

/** The tool server without its slash: sent on from the API host, and not routed on the other. */
function bareResponse(choices: Choices, { host, method, headers }: IncomingRequest, prefix: string): ClientResponse {
  const away = choices.toolSessions ? `http://${headers.host}` : "";
  if (host === "app") return { status: choices.appBareHttp, headers: {}, text: "" };
  if (method !== "POST" && choices.bareMethods === "POST") return { status: 405, headers: { allow: "POST" }, text: "" };
  return { status: 307, headers: { location: `${away}${prefix}/mcp/` }, text: "" };
}

/** Serves the control: by the routes of the guide, or at one address with the action in the body. */
function control(service: Service, { method, path, query, headers, body }: IncomingRequest): ClientResponse {
  if (headers["x-ops-token"] !== OPS_TOKEN) return { status: 403, headers: {}, text: "" };
  const values = body.length > 0 ? (JSON.parse(body.toString()) as Record<string, unknown>) : {};
  const [, , , world = "", part, action] = path.split("/");
  const verb = values.do ?? action ?? (part === "clock" ? "now" : method === "DELETE" ? "leave" : "found");
  return serveControl(service, query.world ?? decodeURIComponent(world), String(verb), values);
}

/** Responses have a Date header if the clock runs. */
function getDate({ choices, worlds }: Service): Record<string, string> {
  const [world] = worlds.values();
  return choices.clock === "flows" && world ? { date: new Date(getNow(world)).toUTCString() } : {};
}

function send(
  { headerName, framing, waitMs }: Choices,
  response: ServerResponse,
  { status, headers, text }: ClientResponse,
): void {
  const length = framing !== "chunks" && status !== 204 && { "content-length": String(Buffer.byteLength(text)) };
  const last = framing === "last of the connection" && { connection: "close" };
  const all = Object.entries({ ...headers, ...length, ...last }).map(([name, value]) => [headerName(name), value]);
  const write = () => response.writeHead(status, Object.fromEntries(all)).end(text);
  if (waitMs === 0) write();
  else setTimeout(write, waitMs);
}
