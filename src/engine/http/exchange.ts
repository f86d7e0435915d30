/** One request as it goes on the wire. Header names are in lower case. */
export interface WireRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array;
}

/** One answer as it came, decompressed. Header names are in lower case; a repeated header is joined by a comma. */
export interface WireResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
}

/** Why no answer came. `no-tls`: the other side does not speak it, or no version of it that we do. */
export interface Failure {
  kind: "timeout" | "refused" | "reset" | "tls" | "no-tls" | "too-large" | "dns" | "protocol" | "aborted" | "withheld";
  message: string;
}

/** One request and what came of it, whichever wire it went by. Times are wall-clock milliseconds. */
export type Exchange = { request: WireRequest; startedAt: number; endedAt: number } & (
  | { response: WireResponse; failure?: never }
  | { failure: Failure; response?: never }
);

const decoder = new TextDecoder();

/** The body as text. */
export function bodyText(response: WireResponse): string {
  return decoder.decode(response.body);
}

/** The JSON that a request carries; undefined when it carries none. */
export function requestJson({ body }: WireRequest): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    return undefined;
  }
}

/** The body as JSON, or what it is instead, in words. */
export function bodyJson(response: WireResponse): { ok: true; value: unknown } | { ok: false; what: string } {
  const text = bodyText(response);
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    if (text.trim() === "") return { ok: false, what: "an empty body" };
    const what = /^\s*<(!doctype|html)/i.test(text) ? "an HTML page" : "no JSON";
    return { ok: false, what: `${what}: ${text.slice(0, 80).replace(/\s+/g, " ")}` };
  }
}

/** What says that a gateway answered, as it could not get an answer from the server: RFC 9110 15.6, and no JSON. Undefined for an answer of the server. */
export function gatewayFailure(response: WireResponse): string | undefined {
  if (![502, 503, 504].includes(response.status)) return undefined;
  const body = bodyJson(response);
  return body.ok ? undefined : `status ${response.status} of a gateway, with ${body.what}`;
}
