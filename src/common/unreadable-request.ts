/** An error of Node's HTTP parser, with the unparsed bytes. */
export type UnreadableBytes = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** Tells whether the client disconnected before its request was complete. */
export function isIncompleteRequest({ code }: UnreadableBytes): boolean {
  return code === "HPE_INVALID_EOF_STATE" || code === "ECONNRESET";
}

/** Returns the method and the target of a request that cannot be read, if its bytes begin with them. */
export function parseRequestLine({ rawPacket }: UnreadableBytes): { method: string; url: string } {
  const [, method = "(unreadable)", url = ""] =
    /^([A-Z]{1,20}) ([!-~]{1,300})/.exec(rawPacket?.toString("latin1", 0, 400) ?? "") ?? [];
  return { method, url };
}

/** Returns the status of the response to a request that cannot be read. */
export function chooseStatus({ code }: UnreadableBytes): 400 | 408 | 431 {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}
