/** Returns the URL of a host and port, without a trailing slash. */
export function buildUrl(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Explains in one sentence why the mock cannot listen. `error`: the error of the system. */
export function explainListen({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use; choose another, or 0 for any free one.`;
    case "EACCES":
      return `Port ${port} of ${host} may not be opened by this user; choose one above 1023.`;
    default:
      return `Cannot listen on port ${port} of ${host}: ${message}`;
  }
}
