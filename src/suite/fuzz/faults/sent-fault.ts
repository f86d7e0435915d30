import { isDeepStrictEqual } from "node:util";
import type { WireRequest } from "../../../engine/http/exchange.js";
import { interpolate, isRecord, type Lookup } from "../../../engine/scenario/interpolate.js";
import { createFaultyContent } from "./body-content.js";
import type { Fault, Place } from "./fault.js";

/** The intended content of the request, to compare it with the sent one. */
export interface Intent {
  /** Returns the name of a body field on this server. */
  named(name: string): string;
  /** The fields of the valid body, with variables replaced. */
  fields: Record<string, unknown>;
  look: Lookup;
}

/** Returns why a sent request does not contain its fault; undefined when it does. */
export function describeMissingFault(
  fault: Fault,
  { method, url, headers, body }: WireRequest,
  { named, fields, look }: Intent,
): string | undefined {
  const sentUrl = new URL(url); // the client may have normalized the address
  const bytes = Buffer.from(body ?? new Uint8Array());
  const name = (place: Place, of: string) => (place === "body" ? named(of) : of);
  const say = (ok: boolean) => (ok ? undefined : `the sent request does not contain the ${fault.kind} fault`);
  switch (fault.kind) {
    case "none":
      return undefined;
    case "missing":
      return say(listValues(fault.in, name(fault.in, fault.name), sentUrl, bytes).length === 0);
    case "wrong":
    case "edge":
    case "text":
    case "extra": {
      const value = fault.kind === "wrong" && fault.how === "past" ? interpolate(fault.value, look) : fault.value;
      const values = listValues(fault.in, name(fault.in, fault.name), sentUrl, bytes);
      return say(values.length === 1 && isDeepStrictEqual(values[0], fault.in === "query" ? String(value) : decodeValue(value)));
    }
    case "twice":
      return say(isDeepStrictEqual(sentUrl.searchParams.getAll(fault.name), fault.values));
    case "method":
      return say(method === fault.value);
    case "unknown":
    case "segment":
      return say(sentUrl.pathname.split("/").includes(fault.value));
    case "content":
      return say(bytes.equals(Buffer.from(createFaultyContent(fault.how, JSON.stringify(fields)))));
    case "header":
      return say((headers[fault.name] ?? null) === fault.value);
    case "credential":
      return say((headers.authorization ?? null) === fault.value && headers.cookie === undefined);
    default:
      return fault satisfies never;
  }
}

/** Returns the values of a field in the sent query or JSON body. */
function listValues(place: Place, name: string, { searchParams }: URL, bytes: Buffer): unknown[] {
  if (place === "query") return searchParams.getAll(name);
  const body = parseBytes(bytes);
  return isRecord(body) && Object.hasOwn(body, name) ? [body[name]] : [];
}

function parseBytes(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** Returns a value after a JSON round trip. */
function decodeValue(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
