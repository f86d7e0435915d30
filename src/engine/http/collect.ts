import type { Dispatcher } from "undici";

/** An answer as it came, whole: its body is still coded. `isCut`: its body has more bytes than were wanted. */
export interface RawAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  bytes: Buffer;
  isCut: boolean;
}

/** When an answer is given up, and how much of it is wanted. */
export interface CollectLimits {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  maxBytes: number;
  /** Of an answer with these headers: gets each piece, and says whether what has come is enough of a stream that may never end. */
  listen(headers: RawAnswer["headers"]): ((piece: Uint8Array) => boolean) | undefined;
}

/** How long a stream that has said enough may take to end by itself, so that its connection can be used again. */
const GRACE_MS = 50;

/**
 * Sends one request and collects its answer, without the streams and signals that clients put between: they cost more than all else. Rejects
 * with what the HTTP client says, the reason of the signal, or a `TimeoutError`; what comes after that is nobody's error.
 */
export function collect(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions, limits: CollectLimits): Promise<RawAnswer> {
  const { timeoutMs, signal, maxBytes, listen } = limits;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let head: Pick<RawAnswer, "status" | "headers"> = { status: 0, headers: {} };
    let isEnough: ReturnType<typeof listen>;
    let grace: NodeJS.Timeout | undefined;
    const pieces: Buffer[] = [];
    let size = 0;
    const end = (settle: () => void) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(deadline);
      clearTimeout(grace);
      signal?.removeEventListener("abort", stop);
      settle();
    };
    const giveUp = (reason: Error) =>
      end(() => {
        reject(reason);
        controller?.abort(reason);
      });
    const stop = () => giveUp(signal?.reason);
    const deadline = setTimeout(() => giveUp(new DOMException(`not done within ${timeoutMs} ms`, "TimeoutError")), timeoutMs);
    const take = () => resolve({ ...head, bytes: Buffer.concat(pieces), isCut: size > maxBytes });
    const takeWhatCame = () =>
      end(() => {
        take();
        controller?.abort(new Error("the rest is not wanted"));
      });
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) return stop();
    dispatcher.dispatch(request, {
      onRequestStart(started) {
        if (isOver) started.abort(new Error("it was given up"));
        controller = started;
      },
      onResponseStart(_, status, headers) {
        if (status < 200) return;
        head = { status, headers };
        isEnough = listen(headers);
      },
      onResponseData(_, piece) {
        if (isOver) return;
        pieces.push(piece);
        size += piece.length;
        if (size > maxBytes) takeWhatCame();
        else if (!grace && isEnough?.(piece)) grace = setTimeout(takeWhatCame, GRACE_MS);
      },
      onResponseEnd: () => end(take),
      onResponseError: (_, error) => end(() => reject(error)),
    });
  });
}
