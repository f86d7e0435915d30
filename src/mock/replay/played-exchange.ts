import { headersByName } from "../http/headers-by-name.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import type { LoggedCall } from "../worlds/log/entry.js";

/** A request and its response without a connection, for the service to answer again. */
export interface PlayedExchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Makes the request that was logged once more, and a response that takes everything and keeps nothing. */
export function exchangeOf({ method, url, headers, ip, gone }: LoggedCall): PlayedExchange {
  const request = {
    method,
    url,
    rawHeaders: headers,
    headers: headersByName(headers),
    socket: { remoteAddress: ip ?? undefined },
  };
  const onClose: (() => void)[] = [];
  const on = (event: string, listener: () => void) => {
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
    on,
    once: on,
    // what goes out piece by piece is not waited for
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
