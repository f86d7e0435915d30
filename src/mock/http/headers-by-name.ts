/** Headers of which Node keeps the first value. */
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

/**
 * Returns alternating names and values as an object by name, as Node does: for some names the first value counts, other values are joined.
 */
export function groupHeaders(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? "").toLowerCase();
    const value = raw[i + 1] ?? "";
    if (headers[name] === undefined) headers[name] = value;
    else if (name === "cookie") headers[name] += `; ${value}`;
    else if (!single.has(name)) headers[name] += `, ${value}`;
  }
  return headers;
}
