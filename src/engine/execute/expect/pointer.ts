import { bodyJson, type WireResponse } from "../../http/exchange.js";

/** Returns the value at a JSON pointer (RFC 6901), or undefined if there is none. */
export function at(value: unknown, pointer: string): unknown {
  let here = value;
  for (const part of pointer.split("/").slice(1)) {
    if (typeof here !== "object" || here === null) return undefined;
    here = (here as Record<string, unknown>)[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return here;
}

/** Returns the value at a place of an answer: a JSON pointer into the body, `header:NAME`, or `status`. Undefined if there is no value. */
export function read(response: WireResponse, place: string): unknown {
  if (place === "status") return response.status;
  if (place.startsWith("header:")) return response.headers[place.slice("header:".length).toLowerCase()];
  const body = bodyJson(response);
  return body.ok ? at(body.value, place) : undefined;
}
