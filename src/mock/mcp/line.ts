import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/sdk/types.js";

/** A request under way, with what its handler needs to know about where it came from. */
interface Waiting<Context> {
  id: RequestId;
  context: Context;
  resolve(answer: JSONRPCMessage): void;
}

/** The one line between the SDK's server and all clients. */
export interface Line<Context> {
  transport: Transport;
  /** Asks the server; the answer carries the request's own id again. */
  ask(request: JSONRPCRequest, context: Context): Promise<JSONRPCMessage>;
  /** What was given with the request that the server knows by this id. */
  contextOf(id: RequestId): Context;
}

/**
 * Opens the line. Clients number their requests as they like, so each gets a number of ours on the way in and its own back on the way
 * out: one server, made once, can answer everybody.
 */
export function openLine<Context>(): Line<Context> {
  const waiting = new Map<RequestId, Waiting<Context>>();
  let last = 0;
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message) => {
      const id = "id" in message ? message.id : undefined;
      const asked = id === undefined ? undefined : waiting.get(id);
      if (id === undefined || !asked) return;
      waiting.delete(id);
      asked.resolve({ ...message, id: asked.id } as JSONRPCMessage);
    },
  };
  return {
    transport,
    ask: (request, context) =>
      new Promise((resolve) => {
        const id = ++last;
        waiting.set(id, { id: request.id, context, resolve });
        transport.onmessage?.({ ...request, id });
      }),
    contextOf: (id) => waiting.get(id)!.context,
  };
}
