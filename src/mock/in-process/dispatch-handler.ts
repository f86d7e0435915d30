import type { Dispatcher } from "undici";
import type { Receiver } from "./carry.js";

/** A handler of the current undici, or of the older undici in the fetch of Node 20. */
type Handler = Dispatcher.DispatchHandler;

/** Passes a response to the handler of a dispatched request. Stops when the handler aborts. */
export function createReceiver(handler: Handler, leave: () => void): Receiver {
  return handler.onRequestStart ? createNewReceiver(handler, leave) : createOldReceiver(handler, leave);
}

function createNewReceiver(handler: Handler, leave: () => void): Receiver {
  const controller = createController((reason) => {
    leave();
    handler.onResponseError?.(controller, reason);
  });
  handler.onRequestStart?.(controller, {});
  const begin: Receiver["begin"] = ({ status, headers }) => {
    const raw = headers.map((text) => Buffer.from(text, "latin1"));
    Object.assign(controller, { rawHeaders: raw });
    handler.onResponseStart?.(controller, status, groupByName(headers));
  };
  return complete({
    begin,
    piece: (bytes) => handler.onResponseData?.(controller, bytes),
    end: () => handler.onResponseEnd?.(controller, {}),
    fail: (error) => handler.onResponseError?.(controller, error),
  });
}

function createOldReceiver(handler: Handler, leave: () => void): Receiver {
  handler.onConnect?.((reason) => {
    leave();
    handler.onError?.(reason ?? new Error("Request aborted"));
  });
  return complete({
    begin: ({ status, headers }) => {
      const raw = headers.map((text) => Buffer.from(text, "latin1"));
      handler.onResponseStarted?.();
      handler.onHeaders?.(status, raw, () => {}, "");
    },
    piece: (bytes) => void handler.onData?.(bytes),
    end: () => handler.onComplete?.([]),
    fail: (error) => handler.onError?.(error),
  });
}

/** Passes a complete answer to a handler in the steps of undici. */
function complete(receiver: Receiver): Receiver {
  return {
    ...receiver,
    begin(head, whole) {
      receiver.begin(head);
      if (whole) receiver.piece(whole);
      if (whole !== undefined) receiver.end();
    },
  };
}

/** The controller of a handler. Pausing delays nothing, because the whole response is in memory. */
function createController(abort: (reason: Error) => void): Dispatcher.DispatchController {
  const controller = { aborted: false, paused: false, reason: null as Error | null };
  return Object.assign(controller, {
    pause() {
      controller.paused = true;
    },
    resume() {
      controller.paused = false;
    },
    abort(reason: Error) {
      if (controller.aborted) return;
      Object.assign(controller, { aborted: true, reason });
      abort(reason);
    },
  });
}

function groupByName(headers: readonly string[]): Record<string, string | string[]> {
  const named: Record<string, string | string[]> = {};
  for (let i = 0; i < headers.length; i += 2) {
    const [name, value] = [(headers[i] ?? "").toLowerCase(), headers[i + 1] ?? ""];
    const before = named[name];
    named[name] = before === undefined ? value : [before, value].flat();
  }
  return named;
}
