import { jsonText, visibleLine } from "../common/escape/visible.js";
import { type Refusal, type Reply, refuse } from "../service/call.js";
import type { World } from "../service/world/world.js";
import { endInPieces, pieceBytes } from "./backlog.js";
import { corsHeaders } from "./cors.js";
import type { Writing } from "./grease/variation.js";
import { writeJson } from "./grease/writing.js";
import { recordOutside } from "./journal-outside.js";
import { append } from "./log/append.js";
import type { IncomingMessage, ServerResponse } from "./messages.js";
import { refuseOutside } from "./outside-refusal.js";
import { endSlowly } from "./trickle.js";
import type { HostedWorld } from "./worlds.js";

let dated = { second: Number.NaN, text: "" };

/** What of a reply goes over the wire. */
export type Answer = Pick<Reply, "status" | "headers" | "body">;

/** How an answer goes over the wire, where not as usual. */
export interface Sending {
  /** Ends the connection behind it. */
  close?: boolean;
  /** No faster than so many bytes a second. */
  bandwidth?: number | undefined;
  writing?: Writing | undefined;
}

/** Sends a reply as JSON with the world's time as its Date; gives the text of the body. */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Answer,
  now: number,
  { close, bandwidth, writing }: Sending = {},
): string | undefined {
  const head = ["date", httpDate(now)];
  for (const name of Object.keys(reply.headers)) head.push(name, reply.headers[name]!);
  if (request.headers.origin !== undefined) head.push(...corsHeaders(request));
  if (close) head.push("connection", "close");
  response.sendDate = false;
  if (reply.body === undefined) {
    response.writeHead(reply.status, renamed(head, writing)).end();
    return undefined;
  }
  const type = reply.headers["content-type"];
  // only an answer that was bent has a type of its own: a page of a gateway goes as it was given
  const text = typeof reply.body === "string" && type?.includes("json") === false ? reply.body : writeJson(reply.body, writing);
  if (type === undefined) head.push("content-type", "application/json; charset=utf-8");
  head.push("content-length", String(Buffer.byteLength(text)));
  response.writeHead(reply.status, renamed(head, writing));
  if (bandwidth === undefined) end(response, text);
  else endSlowly(response, Buffer.from(text), bandwidth);
  return text;
}

/** Names and values in turn, with the names written otherwise. */
function renamed(head: string[], { headerName }: Writing = {}): string[] {
  return headerName ? head.map((part, at) => (at % 2 === 0 ? headerName(part) : part)) : head;
}

/** Sends plain JSON that is no answer of the service: the control plane's. */
export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: unknown,
  { type = "application/json", headers = [] }: { type?: string; headers?: readonly string[] } = {},
): void {
  if (body === undefined) {
    response.writeHead(status, corsHeaders(request)).end();
    return;
  }
  const text = jsonText(body);
  const head = ["content-type", `${type}; charset=utf-8`, "content-length", String(Buffer.byteLength(text))];
  end(response.writeHead(status, [...head, ...headers, ...corsHeaders(request)]), text);
}

function end(response: ServerResponse, text: string): void {
  if (text.length <= pieceBytes) response.end(text);
  else endInPieces(response, text);
}

/** Refuses a request that is for no operation of the service: a page that is not there, a way in that does not exist. */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  hosted: HostedWorld,
  { refusal }: { refusal: Refusal },
): void {
  append(hosted, { refused: "outside" });
  const reply = refuseOutside(hosted.world, refusal);
  const text = sendReply(request, response, reply, hosted.world.now);
  recordOutside(hosted, request, { ...reply, text });
}

/** The answer to a failure of ours: one line to the log, and nothing of it to the client. */
export function failReply(world: World, request: IncomingMessage, error: unknown): Reply {
  const reply = refuseOutside(world, refuse("internal_error").refusal);
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  console.error(
    visibleLine(`counterpart: ${request.method} ${pathOf(request)} failed, ${reply.headers["x-request-id"]}: ${what}`),
  );
  return reply;
}

/** The path of a request line, without query; the absolute form (`GET http://host/path`) is understood too. */
export function pathOf(request: IncomingMessage): string {
  const url = targetOf(request);
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

/** Path and query of a request line. */
export function targetOf({ url = "/" }: IncomingMessage): string {
  return url.charCodeAt(0) === 47 ? url : (/^https?:\/\/[^/?]*(.*)/is.exec(url)?.[1] ?? url) || "/";
}

/** A time as HTTP writes it. */
export function httpDate(now: number): string {
  const second = Math.floor(now / 1000);
  if (second !== dated.second) dated = { second, text: new Date(now).toUTCString() };
  return dated.text;
}
