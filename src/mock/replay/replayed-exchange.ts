import { groupHeaders } from "../http/headers-by-name.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import type { LoggedCall } from "../worlds/log/entry.js";

/** A request and its response without a connection, so that the service answers it again. */
export interface ReplayedExchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Returns the request of the log, and a response that discards its content. */
export function createExchange({ method, url, headers, ip, gone }: LoggedCall): ReplayedExchange {
  const request = {
    method,
    url,
    rawHeaders: headers,
    headers: groupHeaders(headers),
    socket: { remoteAddress: ip ?? undefined },
  };
  const onClose: (() => void)[] = [];
  const requestOn = (event: string, listener: () => void) => {
    if (event === "close") onClose.push(listener);
    return response;
  };
  const response = {
    req: request,
    destroyed: gone === true,
    headersSent: false,
    sendDate: false,
    socket: null,
    writeHead() {
      response.headersSent = true;
      return response;
    },
    write: () => true,
    end: () => response,
    on: requestOn,
    once: requestOn,
    // a response in parts is not awaited
    flushHeaders() {
      response.destroyed = true;
      for (const listener of onClose) listener();
    },
    destroy() {
      response.destroyed = true;
    },
  };
  return { request: request as unknown as IncomingMessage, response: response as unknown as ServerResponse };
}
