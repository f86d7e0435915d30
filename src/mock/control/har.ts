import { STATUS_CODES } from "node:http";
import type { Addresses } from "../http/public-addresses.js";
import type { Entry } from "../journal/read-entry.js";

/** An HTTP archive (HAR 1.2). */
export interface Har {
  log: { version: string; creator: { name: string; version: string }; entries: ReturnType<typeof buildHarEntry>[] };
}

/** Returns the entries as an HTTP archive (HAR 1.2). Times are times of the world. Durations are not measured. */
export function toHar({ api_url }: Addresses, entries: readonly Entry[]): object {
  return {
    log: {
      version: "1.2",
      creator: { name: "counterpart", version: "1" },
      // written as JSON in turns of the event loop: each entry is made when it is written
      entries: entries.map((entry) => ({ toJSON: () => buildHarEntry(api_url, entry) })),
    },
  };
}

function buildHarEntry(apiUrl: string, entry: Entry) {
  const [method = "", path = ""] = entry.request.split(" ", 2);
  const url = buildUrl(path, apiUrl);
  const sent = readText(entry.body);
  return {
    startedDateTime: entry.at,
    time: 0,
    request: {
      method,
      url: url.href,
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: toPairs(entry.headers),
      queryString: [...url.searchParams].map(([name, value]) => ({ name, value })),
      ...(sent !== null && { postData: { mimeType: entry.headers["content-type"] ?? "", text: sent } }),
      headersSize: -1,
      bodySize: sent === null ? 0 : Buffer.byteLength(sent),
    },
    response: buildHarResponse(entry),
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
    comment: explainEntry(entry),
  };
}

/** Returns the URL of a call. A request target that is not a URL, such as `http://[/`, becomes the path. */
function buildUrl(target: string, apiUrl: string): URL {
  if (URL.canParse(target, apiUrl)) return new URL(target, apiUrl);
  const url = new URL(apiUrl);
  url.pathname = target;
  return url;
}

/** A call without a response has status 0, as browsers write it. */
function buildHarResponse({ status, answer: response }: Entry) {
  const text = readText(response.body) ?? "";
  const mimeType = response.headers["content-type"] ?? "application/json";
  return {
    status: status ?? 0,
    statusText: STATUS_CODES[status ?? 0] ?? "",
    httpVersion: "HTTP/1.1",
    cookies: [],
    headers: toPairs(response.headers),
    content: { size: Buffer.byteLength(text), mimeType, text },
    redirectURL: "",
    headersSize: -1,
    bodySize: Buffer.byteLength(text),
  };
}

function explainEntry({ rule, role, fault }: Entry): string {
  return [role, rule.code ?? rule.gate, fault].filter(Boolean).join(", ");
}

function readText(body: unknown): string | null {
  if (body === null || body === undefined) return null;
  return typeof body === "string" ? body : JSON.stringify(body);
}

function toPairs(headers: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}
