import { connect } from "node:net";
import { request } from "undici";

/** A response with its body read. */
export interface ClientResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
}

/** The parts of a request besides method and address. `json` is serialised; `key` becomes a bearer header. */
export interface Sent {
  key?: string | undefined;
  json?: unknown;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

/** Sends one request over a real socket. */
export async function send(line: string, { key, json, body, headers = {} }: Sent = {}): Promise<ClientResponse> {
  const [method, url] = line.split(" ") as [string, string];
  const response = await request(url, {
    method: method as "GET",
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(json !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(json !== undefined ? { body: JSON.stringify(json) } : body !== undefined && { body }),
  });
  const text = await response.body.text();
  const isJson = /^application\/(problem\+)?json/.test(String(response.headers["content-type"])) && text !== "";
  return { status: response.statusCode, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** Sends bytes unchanged. Returns all received bytes when the server closes, or `reset` if it breaks the connection. */
export function sendBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", () => resolve("reset"));
    socket.on("close", () => resolve(text));
  });
}
