import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import { library } from "../library.js";

type RequestOptions = Omit<Dispatcher.RequestOptions, "origin" | "path">;

/** Sends one request with its path unchanged, and resolves before the body of its response is read. Follows no redirect. */
export type SendRequest = (options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;

/** Connections to servers. `request` resolves before the body of the response is read, `collect` afterwards. */
export interface Connections {
  request: SendRequest;
  collect(url: string, options: RequestOptions, limits: CollectLimits): Promise<RawResponse>;
  close(): Promise<void>;
}

const CONTINUE_HEAD = Buffer.from("HTTP/1.1 100 ");

/** The maximum number of bytes of all headers of a response. */
export const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Opens connections that are kept alive until a server closes one. From then on each request gets a new connection, because a request on a connection
 * that the server is closing would be lost.
 */
export function openConnections(connectTimeoutMs: number): Connections {
  const { Agent, buildConnector } = library.undici();
  const connector = buildConnector({ timeout: connectTimeoutMs });
  const connect: typeof connector = (options, callback) =>
    connector(options, (...[error, socket]) => (error ? callback(error, null) : callback(null, ignoreContinue(socket))));
  const common = { connect, headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: MAX_HEADER_BYTES };
  const keepAlive = new Agent({ ...common, connections: 256, pipelining: 1 });
  const single = new Agent({ ...common, connections: 256, pipelining: 0 });
  let dispatcher = keepAlive;
  keepAlive.on("disconnect", (_origin, _targets, error) => {
    if (isByServer(error)) dispatcher = single;
  });
  return {
    request: (options) => {
      library.wholeUndici(); // gives every dispatcher its method `request`
      return dispatcher.request(options);
    },
    collect: async (url, options, limits) => collect(dispatcher, { ...options, ...splitUrl(url) }, limits),
    close: async () => void (await Promise.all([keepAlive.destroy(), single.destroy()])),
  };
}

function splitUrl(url: string): Pick<Dispatcher.RequestOptions, "origin" | "path"> {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}

/**
 * Removes each `100 Continue` from what a socket receives. A server may send it unasked (RFC 9110 15.2), and the HTTP client would then close the
 * connection.
 */
function ignoreContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket) as Socket["read"];
  socket.read = (size) => {
    for (let chunk: unknown = read(size); ; chunk = read(size)) {
      const length = Buffer.isBuffer(chunk) ? continueLength(chunk) : 0;
      if (!Buffer.isBuffer(chunk) || length === 0) return chunk;
      if (chunk.length > length) return chunk.subarray(length);
    }
  };
  return socket;
}

function continueLength(chunk: Buffer): number {
  if (!chunk.subarray(0, CONTINUE_HEAD.length).equals(CONTINUE_HEAD)) return 0;
  return chunk.indexOf("\r\n\r\n") + "\r\n\r\n".length;
}

/** Tells whether the server closed a connection. The runner itself closes connections at a deadline and at the end of a run. */
function isByServer({ code = "" }: { code?: string }): boolean {
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE";
}

type Options = Dispatcher.DispatchOptions;

/** A response whose body is complete and not decoded yet. `isCut`: the body is longer than `maxBytes` and was cut. */
export interface RawResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  bytes: Buffer;
  isCut: boolean;
}

/** The time and size limits for one response. */
export interface CollectLimits {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  maxBytes: number;
  /** Returns a listener for a response with these headers. It gets each chunk and tells whether a stream that may never end has sent enough. */
  listen(headers: RawResponse["headers"]): ((chunk: Uint8Array) => boolean) | undefined;
}

/** How long a stream may take to end after it has sent enough. After that its connection is closed. */
const GRACE_MS = 50;

/**
 * Sends one request and collects its response, without the overhead of streams. Rejects with the error of the HTTP client, the reason of the signal, or a
 * `TimeoutError`. Later errors of the same request are ignored.
 */
function collect(dispatcher: Dispatcher, request: Options, limits: CollectLimits): Promise<RawResponse> {
  const { timeoutMs, signal, maxBytes, listen } = limits;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isSettled = false;
    let head: Pick<RawResponse, "status" | "headers"> = { status: 0, headers: {} };
    let isComplete: ReturnType<typeof listen>;
    let grace: NodeJS.Timeout | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (settle: () => void) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(deadline);
      clearTimeout(grace);
      signal?.removeEventListener("abort", stop);
      settle();
    };
    const rejectWith = (reason: Error) =>
      end(() => {
        reject(reason);
        controller?.abort(reason);
      });
    const stop = () => rejectWith(signal?.reason);
    const deadline = setTimeout(
      () => rejectWith(new DOMException(`no complete answer within ${timeoutMs} ms`, "TimeoutError")),
      timeoutMs,
    );
    const resolveResponse = () => resolve({ ...head, bytes: Buffer.concat(chunks), isCut: size > maxBytes });
    const resolveEarly = () =>
      end(() => {
        resolveResponse();
        controller?.abort(new Error("the rest of the answer is not needed"));
      });
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) return stop();
    dispatcher.dispatch(request, {
      onRequestStart(started) {
        if (isSettled) started.abort(new Error("the request was aborted"));
        controller = started;
      },
      onResponseStart(_, status, headers) {
        if (status < 200) return;
        head = { status, headers };
        isComplete = listen(headers);
      },
      onResponseData(_, chunk) {
        if (isSettled) return;
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxBytes) resolveEarly();
        else if (!grace && isComplete?.(chunk)) grace = setTimeout(resolveEarly, GRACE_MS);
      },
      onResponseEnd: () => end(resolveResponse),
      onResponseError: (_, error) => end(() => reject(error)),
    });
  });
}
