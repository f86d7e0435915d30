import { EventEmitter } from "node:events";
import type { OutgoingHttpHeaders } from "node:http";
import { headersByName } from "../http/headers-by-name.js";
import type { IncomingMessage, ServerResponse, Socket } from "../http/messages.js";

/** A request that comes without a socket. */
export interface Call {
  method: string;
  /** Path and query. */
  target: string;
  /** Names and values in turn. */
  headers: string[];
  body: Buffer | null;
}

/** The head of an answer; its headers are names and values in turn. */
export interface Head {
  status: number;
  headers: string[];
}

/** Who takes an answer as it comes. */
export interface Receiver {
  /** The head, with the whole body where it came in one piece, or null where there is none. Without either, pieces follow. */
  begin(head: Head, whole?: Buffer | null): void;
  piece(bytes: Buffer): void;
  end(): void;
  /** The connection broke, as a client calls that. */
  fail(error: Error): void;
}

/** Where a request goes: by which name the host is called, and who answers. */
export interface Destination {
  host: string;
  serve(request: IncomingMessage, response: ServerResponse): void;
}

/** An answer may be slow on purpose: as long as it is awaited the process stays, as it does with a socket open. */
const longestMs = 2 ** 31 - 1;
const bodiless = [204, 205, 304];

/** Has a request answered in this process. Gives the function by which the client goes away. */
export function carry({ host, serve }: Destination, call: Call, receiver: Receiver): () => void {
  const line = openLine(receiver);
  const request = requestOf({ ...call, headers: ["host", host, ...call.headers] }, line);
  const response = responseOf(request, line);
  try {
    serve(request, response);
  } catch (error) {
    line.fail(error as Error);
  }
  if (!line.isClosed()) {
    const hold = setTimeout(() => {}, longestMs);
    line.onClose(() => clearTimeout(hold));
  }
  return line.close;
}

function requestOf({ method, target, headers, body }: Call, line: Line): IncomingMessage {
  const events = new EventEmitter();
  line.onClose(() => events.emit("close"));
  let isRead = false;
  let isPaused = false;
  const read = () => {
    if (isRead) return;
    isRead = true;
    if (body) events.emit("data", body);
    if (!isPaused) events.emit("end");
  };
  return {
    method,
    url: target,
    httpVersion: "1.1",
    headers: headersByName(headers),
    rawHeaders: headers,
    socket: { remoteAddress: "127.0.0.1" },
    on(event: string, listener: (bytes: Buffer) => void) {
      events.on(event, listener);
      if (event === "end") queueMicrotask(read);
      return this;
    },
    off(event: string, listener: (bytes: Buffer) => void) {
      events.off(event, listener);
      return this;
    },
    pause() {
      isPaused = true;
      return this;
    },
    resume() {
      return this;
    },
    destroy() {
      line.fail(closed());
      return this;
    },
  };
}

/** What an answer goes over in the place of a connection. */
interface Line extends Receiver {
  isClosed(): boolean;
  /** Nobody listens any more. */
  close(): void;
  onClose(listener: () => void): void;
}

function openLine(receiver: Receiver): Line {
  const listeners: (() => void)[] = [];
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    for (const listener of listeners) listener();
  };
  const last = (tell: () => void) => {
    if (closed) return;
    tell();
    close();
  };
  return {
    begin: (head, whole) => {
      if (whole !== undefined) last(() => receiver.begin(head, whole));
      else if (!closed) receiver.begin(head);
    },
    piece: (bytes) => {
      if (!closed) receiver.piece(bytes);
    },
    end: () => last(() => receiver.end()),
    fail: (error) => last(() => receiver.fail(error)),
    isClosed: () => closed,
    close,
    onClose: (listener) => listeners.push(listener),
  };
}

function responseOf(req: IncomingMessage, line: Line): ServerResponse {
  // no request waits for "100 Continue"
  const events = new EventEmitter();
  line.onClose(() => events.emit("close"));
  let head: Head | null = null;
  let hasBegun = false;
  const carriesBody = () => req.method !== "HEAD" && !bodiless.includes(head?.status ?? 200);
  const begin = (whole?: Buffer | null) => {
    hasBegun = true;
    line.begin(head ?? { status: 200, headers: [] }, whole);
  };
  return {
    req,
    sendDate: true,
    writableLength: 0,
    socket: socketOf(line),
    get headersSent() {
      return head !== null;
    },
    get destroyed() {
      return line.isClosed();
    },
    writeHead(status, headers = []) {
      head = { status, headers: Array.isArray(headers) ? headers : flat(headers) };
      if (this.sendDate) head.headers = [...head.headers, "date", new Date().toUTCString()];
      return this;
    },
    flushHeaders() {
      if (!hasBegun) begin(carriesBody() ? undefined : null);
    },
    write(bytes) {
      this.flushHeaders();
      if (carriesBody()) line.piece(Buffer.from(bytes as string));
      return true;
    },
    end(bytes) {
      const whole = bytes !== undefined && carriesBody() ? Buffer.from(bytes as string) : null;
      if (!hasBegun) begin(whole);
      else {
        if (whole) line.piece(whole);
        line.end();
      }
      return this;
    },
    destroy() {
      line.fail(closed());
      return this;
    },
    on(event, listener) {
      events.on(event, listener);
      return this;
    },
    once(event, listener) {
      events.once(event, listener);
      return this;
    },
  };
}

function flat(headers: OutgoingHttpHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value = []]) => [value].flat().flatMap((one: unknown) => [name, String(one)]));
}

/** A connection that is broken off: the client learns what it would have learned from a real one. */
function socketOf(line: Line): Socket {
  return {
    resetAndDestroy: () => line.fail(connectionError("read ECONNRESET", "ECONNRESET")),
    end: (bytes?: string) => line.fail(bytes === undefined ? closed() : misread(line, bytes)),
  };
}

/** What a client makes of bytes that are no whole answer: a head, if there is one, is understood. */
function misread(line: Line, bytes: string): Error {
  const [, status, lines = ""] = /^HTTP\/1\.1 (\d{3})[^\r]*\r\n([\s\S]*?)\r\n\r\n/.exec(bytes) ?? [];
  if (status === undefined) return connectionError("Response does not match the HTTP/1.1 protocol", "HPE_INVALID_CONSTANT");
  line.begin({ status: Number(status), headers: lines.split("\r\n").flatMap((text) => text.split(": ", 2)) });
  return connectionError("Invalid character in chunk size", "HPE_INVALID_CHUNK_SIZE");
}

function closed(): Error {
  return connectionError("other side closed", "UND_ERR_SOCKET");
}

function connectionError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}
