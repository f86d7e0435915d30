import { EventEmitter } from "node:events";
import type { OutgoingHttpHeaders } from "node:http";
import { groupHeaders } from "../http/headers-by-name.js";
import type { IncomingMessage, ServerResponse, Socket } from "../http/messages.js";

/** A request without a socket. */
export interface Call {
  method: string;
  /** Path and query. */
  target: string;
  /** Alternating names and values. */
  headers: string[];
  body: Buffer | null;
}

/** The head of a response. Its headers are alternating names and values. */
export interface ResponseHead {
  status: number;
  headers: string[];
}

/** Receives a response. */
export interface Receiver {
  /** Receives the head. `body`: the whole body if it came at once, null if there is none, and undefined if parts follow. */
  begin(head: ResponseHead, whole?: Buffer | null): void;
  piece(bytes: Buffer): void;
  end(): void;
  /** The connection broke, with the error that a client reports. */
  fail(error: Error): void;
}

/** Where a request goes: the name of the host and the function that answers. */
export interface Destination {
  host: string;
  serve(request: IncomingMessage, response: ServerResponse): void;
}

/** A delayed answer keeps the process running, as an open socket does. */
const longestMs = 2 ** 31 - 1;
const bodiless = [204, 205, 304];

/** Answers a request in this process. Returns the function by which the client disconnects. */
export function carry({ host, serve }: Destination, call: Call, receiver: Receiver): () => void {
  const line = openLine(receiver);
  const request = createRequest({ ...call, headers: ["host", host, ...call.headers] }, line);
  const response = createResponse(request, line);
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

function createRequest({ method, target, headers, body }: Call, line: Line): IncomingMessage {
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
    headers: groupHeaders(headers),
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
      line.fail(createClosedError());
      return this;
    },
  };
}

/** Replaces the connection of a response. */
interface Line extends Receiver {
  isClosed(): boolean;
  /** Closes the connection from the side of the client. */
  close(): void;
  onClose(listener: () => void): void;
}

function openLine(receiver: Receiver): Line {
  const listeners: (() => void)[] = [];
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    for (const listener of listeners) listener();
  };
  const last = (tell: () => void) => {
    if (isClosed) return;
    tell();
    close();
  };
  return {
    begin: (head, whole) => {
      if (whole !== undefined) last(() => receiver.begin(head, whole));
      else if (!isClosed) receiver.begin(head);
    },
    piece: (bytes) => {
      if (!isClosed) receiver.piece(bytes);
    },
    end: () => last(() => receiver.end()),
    fail: (error) => last(() => receiver.fail(error)),
    isClosed: () => isClosed,
    close,
    onClose: (listener) => listeners.push(listener),
  };
}

function createResponse(req: IncomingMessage, line: Line): ServerResponse {
  // no request waits for "100 Continue"
  const events = new EventEmitter();
  line.onClose(() => events.emit("close"));
  let head: ResponseHead | null = null;
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
    socket: createSocket(line),
    get headersSent() {
      return head !== null;
    },
    get destroyed() {
      return line.isClosed();
    },
    writeHead(status, headers = []) {
      head = { status, headers: Array.isArray(headers) ? headers : flattenHeaders(headers) };
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
      line.fail(createClosedError());
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

function flattenHeaders(headers: OutgoingHttpHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value = []]) => [value].flat().flatMap((one: unknown) => [name, String(one)]));
}

/** A broken connection. The client gets the error that a real connection would give. */
function createSocket(line: Line): Socket {
  return {
    resetAndDestroy: () => line.fail(createConnectionError("read ECONNRESET", "ECONNRESET")),
    end: (bytes?: string) => line.fail(bytes === undefined ? createClosedError() : createMisreadError(line, bytes)),
  };
}

/** Reads an incomplete response as a client does: uses a complete head. */
function createMisreadError(line: Line, bytes: string): Error {
  const [, status, lines = ""] = /^HTTP\/1\.1 (\d{3})[^\r]*\r\n([\s\S]*?)\r\n\r\n/.exec(bytes) ?? [];
  if (status === undefined) return createConnectionError("Response does not match the HTTP/1.1 protocol", "HPE_INVALID_CONSTANT");
  line.begin({ status: Number(status), headers: lines.split("\r\n").flatMap((text) => text.split(": ", 2)) });
  return createConnectionError("Invalid character in chunk size", "HPE_INVALID_CHUNK_SIZE");
}

function createClosedError(): Error {
  return createConnectionError("other side closed", "UND_ERR_SOCKET");
}

function createConnectionError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}
