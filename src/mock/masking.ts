/** Keys of this mock, by the mark that all of them carry; ids and messages carry none. */
const keys = /\bmock_[A-Za-z0-9_-]+/g;
const mask = "mock_***";
const secret = /^(authorization|proxy-authorization|cookie|x-api-key)$/i;

/** A text without the keys in it. */
export function maskText(text: string): string {
  return text.includes("mock_") ? text.replace(keys, mask) : text;
}

/** A JSON value without the keys in it. */
export function maskValue(value: unknown): unknown {
  if (typeof value === "string") return maskText(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [maskText(name), maskValue(inner)]));
}

/** Headers, names and values in turn, by name in lower case; those that are there twice are joined. Credentials keep their scheme only. */
export function maskHeaders(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]?.toLowerCase() ?? "";
    const value = secret.test(name) ? maskCredential(raw[i + 1] ?? "") : maskText(raw[i + 1] ?? "");
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return { ...headers };
}

/** `Bearer ***`, `session=***`. */
function maskCredential(value: string): string {
  const [, scheme = ""] = /^([A-Za-z][\w-]*[ =])/.exec(value) ?? [];
  return `${scheme}***`;
}
