import { connect, type Socket } from "node:net";
import { Agent, request } from "undici";

/** One request. `number` identifies it in the run and in the journal. */
export interface SentRequest {
  number: number;
  method: string;
  url: string;
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A response; status 0 if none came. */
export interface ClientResponse {
  status: number;
  id: string | undefined;
  json: unknown;
}

const agent = new Agent({ connections: 128, pipelining: 1 });

/** Sends a request and reads its response. */
export async function ask(sentRequest: SentRequest): Promise<ClientResponse> {
  try {
    const body = sentRequest.body === undefined ? null : JSON.stringify(sentRequest.body);
    const {
      statusCode,
      headers,
      body: stream,
    } = await request(sentRequest.url, {
      dispatcher: agent,
      method: sentRequest.method as "GET",
      headers: getHeaders(sentRequest),
      body,
    });
    const text = await stream.text();
    return { status: statusCode, id: headers["x-request-id"] as string | undefined, json: getJson(text) };
  } catch {
    return { status: 0, id: undefined, json: undefined };
  }
}

/** Closes all connections. */
export async function closeConnections(): Promise<void> {
  await agent.destroy();
}

/** Sends a request and goes before it is answered. */
export async function sendAndDisconnect(sentRequest: SentRequest, afterMs: number): Promise<void> {
  const socket = await open(sentRequest.url);
  socket.write(getBytes(sentRequest));
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  socket.destroy();
}

/** Pipelines requests on one connection, waits, then reads. Returns the responses in order. */
export async function sendPipelined(all: readonly SentRequest[], waitMs: number): Promise<ClientResponse[]> {
  const [first] = all;
  if (!first) return [];
  const socket = await open(first.url);
  socket.pause();
  socket.write(Buffer.concat(all.map(getBytes)));
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const end = () => {
      socket.destroy();
      resolve(messagesIn(received));
    };
    const timer = setTimeout(end, 20_000);
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (messagesIn(received).length < all.length) return;
      // a response too many would come right behind
      clearTimeout(timer);
      setTimeout(end, 5);
    });
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(messagesIn(received));
    });
    socket.resume();
  });
}

function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(socket)).on("error", () => resolve(socket));
  });
}

function getHeaders({ number, key, body, headers }: SentRequest): Record<string, string> {
  return {
    "user-agent": `soak-${number}`,
    accept: "application/json, text/event-stream",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && { "content-type": "application/json" }),
    ...headers,
  };
}

function getBytes(sentRequest: SentRequest): Buffer {
  const { host, pathname, search } = new URL(sentRequest.url);
  const body = sentRequest.body === undefined ? "" : JSON.stringify(sentRequest.body);
  const lines = Object.entries({ host, ...getHeaders(sentRequest), "content-length": String(Buffer.byteLength(body)) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`${sentRequest.method} ${pathname}${search} HTTP/1.1\r\n${head}\r\n${body}`);
}

function messagesIn(bytes: Buffer): ClientResponse[] {
  const responses: ClientResponse[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end < 0) return responses;
    const head = bytes.toString("latin1", at, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (bytes.length < end + 4 + length) return responses;
    const text = bytes.toString("utf8", end + 4, end + 4 + length);
    responses.push({ status: Number(head.slice(9, 12)), id: /x-request-id: (\S+)/i.exec(head)?.[1], json: getJson(text) });
    at = end + 4 + length;
  }
}

function getJson(text: string): unknown {
  const event = /^event: message\ndata: (.*)\n\n$/.exec(text);
  try {
    return JSON.parse(event?.[1] ?? text);
  } catch {
    return undefined;
  }
}
