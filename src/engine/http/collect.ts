import type { Dispatcher } from "undici";

type Options = Dispatcher.DispatchOptions;

/** An answer whose body is complete and not decoded yet. `isCut`: the body is longer than `maxBytes` and was cut. */
export interface RawResponse {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  bytes: Buffer;
  isCut: boolean;
}

/** The time and size limits for one answer. */
export interface CollectLimits {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  maxBytes: number;
  /** Returns a listener for an answer with these headers. It gets each chunk and tells whether a stream that may never end has sent enough. */
  listen(headers: RawResponse["headers"]): ((chunk: Uint8Array) => boolean) | undefined;
}

/** How long a stream that has sent enough may take to end by itself. After that its connection is closed. */
const GRACE_MS = 50;

/**
 * Sends one request and collects its answer, without the overhead of streams. Rejects with the error of the HTTP client, the reason of the signal, or a
 * `TimeoutError`. Later errors of the same request are ignored.
 */
export function collect(dispatcher: Dispatcher, request: Options, limits: CollectLimits): Promise<RawResponse> {
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
