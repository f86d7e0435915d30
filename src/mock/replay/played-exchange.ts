import type { LoggedCall } from "../log/entry.js";
import type { IncomingMessage, ServerResponse } from "../messages.js";

/** A request and its response without a connection, for the service to answer again. */
export interface PlayedExchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Names that a second header of replaces nothing of: node keeps the first. */
const single = new Set([
  "age",
  "authorization",
  "content-length",
  "content-type",
  "etag",
  "expires",
  "from",
  "host",
  "if-modified-since",
  "if-unmodified-since",
  "last-modified",
  "location",
  "max-forwards",
  "proxy-authorization",
  "referer",
  "retry-after",
  "server",
  "user-agent",
]);

/** Makes the request that was logged once more, and a response that takes everything and keeps nothing. */
export function exchangeOf({ method, url, headers, ip, gone }: LoggedCall): PlayedExchange {
  const request = { method, url, rawHeaders: headers, headers: headersOf(headers), socket: { remoteAddress: ip ?? undefined } };
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

/** Headers by name as node reads them: of some the first counts, others are joined. */
export function headersOf(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]?.toLowerCase() ?? "";
    const value = raw[i + 1] ?? "";
    if (headers[name] === undefined) headers[name] = value;
    else if (name === "cookie") headers[name] += `; ${value}`;
    else if (!single.has(name)) headers[name] += `, ${value}`;
  }
  return headers;
}
