import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { library } from "../library.js";
import { type CollectLimits, collect, type RawAnswer } from "./collect.js";

type RequestOptions = Omit<Dispatcher.RequestOptions, "origin" | "path">;

/** Sends one request; nothing is followed, and the answer's body is still to be read. */
export type SendRequest = (url: string, options: RequestOptions) => Promise<Dispatcher.ResponseData>;

/** Connections to servers. `ask` gives an answer whose body is still to be read, `collect` one that is whole. */
export interface Connections {
  ask: SendRequest;
  collect(url: string, options: RequestOptions, limits: CollectLimits): Promise<RawAnswer>;
  close(): Promise<void>;
}

const CONTINUE = Buffer.from("HTTP/1.1 100 ");

/** The most bytes that the headers of one answer may have. */
export const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Opens connections that are kept alive, until a server closes one by itself: from then on each request has a connection of its own. A server
 * may close whenever it likes, and a request written meanwhile would be lost, which says nothing of the service.
 */
export function openConnections(connectTimeoutMs: number): Connections {
  const { Agent, buildConnector } = library.undici();
  const connector = buildConnector({ timeout: connectTimeoutMs });
  const connect: typeof connector = (options, callback) =>
    connector(options, (...[error, socket]) => (error ? callback(error, null) : callback(null, withoutContinue(socket))));
  const common = { connect, headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: MAX_HEADER_BYTES };
  const kept = new Agent({ ...common, connections: 256, pipelining: 1 });
  const fresh = new Agent({ ...common, connections: 256, pipelining: 0 });
  let dispatcher = kept;
  kept.on("disconnect", (_origin, _targets, error) => {
    if (isByServer(error)) dispatcher = fresh;
  });
  return {
    ask: (url, options) => library.wholeUndici().request(url, { ...options, dispatcher }),
    collect: async (url, options, limits) => collect(dispatcher, { ...options, ...placeOf(url) }, limits),
    close: async () => void (await Promise.all([kept.destroy(), fresh.destroy()])),
  };
}

function placeOf(url: string): Pick<Dispatcher.RequestOptions, "origin" | "path"> {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

/**
 * Takes out of what a socket receives each `100 Continue`, for which we never ask and which a server may send all the same (RFC 9110 15.2): our
 * HTTP client would give the connection up.
 */
function withoutContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket) as Socket["read"];
  socket.read = (size) => {
    for (let piece: unknown = read(size); ; piece = read(size)) {
      const length = Buffer.isBuffer(piece) ? continueLength(piece) : 0;
      if (!Buffer.isBuffer(piece) || length === 0) return piece;
      if (piece.length > length) return piece.subarray(length);
    }
  };
  return socket;
}

function continueLength(piece: Buffer): number {
  if (!piece.subarray(0, CONTINUE.length).equals(CONTINUE)) return 0;
  return piece.indexOf("\r\n\r\n") + "\r\n\r\n".length;
}

/** Whether the other side ended a connection, rather than we: by its own idle limit, a deadline or the end of the run. */
function isByServer({ code = "" }: { code?: string }): boolean {
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE";
}
