/** One HTTP request. Header names are in lower case. */
export interface WireRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array;
}

/** One HTTP response, decompressed. Header names are in lower case; the values of a repeated header are joined by commas. */
export interface WireResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** The response is from a trace that has only a part of its body. */
  isShortened?: true;
}

/** Why no response came. `no-tls`: the server does not support TLS, or no common version of it. `withheld`: a run did not send the request. */
export interface Failure {
  kind: "timeout" | "refused" | "reset" | "tls" | "no-tls" | "too-large" | "dns" | "protocol" | "aborted" | "withheld";
  message: string;
}

/** One request with its response or failure. Times are wall-clock milliseconds. */
export type Exchange = { request: WireRequest; startedAt: number; endedAt: number } & (
  | { response: WireResponse; failure?: never }
  | { failure: Failure; response?: never }
);

const decoder = new TextDecoder();

/** Returns the body as text. */
export function readBodyText(response: WireResponse): string {
  return decoder.decode(response.body);
}

/** Returns the JSON body of a request; undefined without one. */
export function parseRequestJson({ body }: WireRequest): unknown {
  return body && findJsonIn(decoder.decode(body));
}

/** Returns the value of a JSON text; undefined for any other text. */
export function findJsonIn(text: string): unknown {
  if (!/^\s*["{[\dtfn-]/.test(text)) return undefined; // an exception takes much longer
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON of a body, or what the body is instead: `kind` names it, and `what` also quotes its beginning. */
export type BodyJson = { ok: true; value: unknown } | { ok: false; kind: string; what: string };

let last: { body: Uint8Array; json: BodyJson } | undefined;

/**
 * Returns the body as JSON, or a description of what it is instead. Several checks read one response after the other, so the last result is kept: a
 * caller must not change the value.
 */
export function parseBodyJson({ body }: WireResponse): BodyJson {
  if (last?.body !== body) last = { body, json: parseBody(body) };
  return last.json;
}

function parseBody(body: Uint8Array): BodyJson {
  const text = decoder.decode(body);
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    if (text.trim() === "") return { ok: false, kind: "an empty body", what: "an empty body" };
    const kind = /^\s*<(!doctype|html)/i.test(text) ? "an HTML page" : "no JSON";
    return { ok: false, kind, what: `${kind}: ${text.slice(0, 80).replace(/\s+/g, " ")}` };
  }
}

/** Returns whether a response shows a list: status 200, and a JSON object with an array. */
export function showsList(response: WireResponse): boolean {
  if (response.status !== 200) return false;
  const body = parseBodyJson(response);
  return body.ok && typeof body.value === "object" && Object.values(body.value ?? {}).some(Array.isArray);
}

/** Describes the response of a gateway that could not reach the server (RFC 9110 15.6): 502, 503 or 504 without JSON. Undefined for other responses. */
export function findGatewayFailure(response: WireResponse): string | undefined {
  if (![502, 503, 504].includes(response.status)) return undefined;
  const body = parseBodyJson(response);
  return body.ok ? undefined : `a gateway answered ${response.status} with ${body.what}`;
}

/** Returns the value at a JSON pointer (RFC 6901), or undefined if there is none. */
export function resolvePointer(value: unknown, pointer: string): unknown {
  let here = value;
  for (const part of pointer.split("/").slice(1)) {
    if (typeof here !== "object" || here === null) return undefined;
    here = (here as Record<string, unknown>)[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return here;
}

/** Returns the value at a place of a response: a JSON pointer into the body, `header:NAME`, or `status`. Undefined if the place has none. */
export function read(response: WireResponse, place: string): unknown {
  if (place === "status") return response.status;
  if (place.startsWith("header:")) return response.headers[place.slice("header:".length).toLowerCase()];
  const body = parseBodyJson(response);
  return body.ok ? resolvePointer(body.value, place) : undefined;
}
