/** Headers of which node keeps the first. */
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

/** Headers that come as names and values in turn, by name as node reads them: of some the first counts, others are joined. */
export function headersByName(raw: readonly string[]): Record<string, string> {
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
