import type { LogEntry } from "./entry.js";

const masked = "***";
const secret = /^(authorization|proxy-authorization|x-api-key)$/i;
/** What a key of a mock and a session of a fixture look like: those are made up, and open nothing elsewhere. */
const ownKey = /^mock_[A-Za-z0-9_-]+$/;
const ownSession = /^([A-Za-z0-9-]{1,63}_)?[a-z]{1,20}(_[a-z]{1,20})*$/;

/** An entry to be shown or kept: without what is somebody's own secret. Whatever was wrong with a credential still is. */
export function maskEntry(entry: LogEntry): LogEntry {
  if (!("call" in entry)) return entry;
  return { ...entry, call: { ...entry.call, headers: maskRaw(entry.call.headers) } };
}

function maskRaw(headers: readonly string[]): string[] {
  return headers.map((text, i) => {
    const name = i % 2 === 1 ? (headers[i - 1] ?? "") : "";
    if (secret.test(name)) return text.replace(/\S+$/, (token) => (ownKey.test(token) ? token : masked));
    return name.toLowerCase() === "cookie" ? maskCookies(text) : text;
  });
}

function maskCookies(text: string): string {
  const pairs = text.split(/;\s*/).map((pair) => {
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    return name === "session" && ownSession.test(value) ? pair : `${name}=${masked}`;
  });
  return pairs.join("; ");
}
