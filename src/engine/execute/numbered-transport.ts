import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/** How many request ids each client of a session has: more than an execution sends. All ids fit in 32 bits. */
const IDS_PER_TRANSPORT = 2 ** 13;

/**
 * Returns the transport of one client of a session. The number of the client makes its ids unique. The client of the handshake is 0. `revision`:
 * the revision that the handshake requests, instead of the newest one.
 */
export function numberTransport(inner: Transport, number: number, revision?: string): Transport {
  const first = number * IDS_PER_TRANSPORT;
  const outer: Transport = {
    start: () => inner.start(),
    close: () => inner.close(),
    send: (message, options) =>
      inner.send("method" in message ? withId(withRevision(message, revision), (id) => id + first) : message, options),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
  };
  inner.onmessage = (message, extra) =>
    outer.onmessage?.("method" in message ? message : withId(message, (id) => id - first), extra);
  inner.onclose = () => outer.onclose?.();
  inner.onerror = (error) => outer.onerror?.(error);
  return outer;
}

/** Returns a handshake with the revision that it requests. Returns other messages unchanged. */
function withRevision<M extends JSONRPCMessage>(message: M, revision: string | undefined): M {
  if (!("method" in message) || message.method !== "initialize" || revision === undefined) return message;
  return { ...message, params: { ...message.params, protocolVersion: revision } };
}

/** Returns a message with a changed id. An id that is 0 or not a number stays. */
function withId<M extends JSONRPCMessage>(message: M, change: (id: number) => number): M {
  const id = "id" in message ? Number(message.id ?? 0) : 0;
  return id ? { ...message, id: change(id) } : message;
}
