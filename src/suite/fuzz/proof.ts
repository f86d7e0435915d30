import { isDeepStrictEqual } from "node:util";
import type { WireRequest } from "../../engine/http/exchange.js";
import { interpolate, isRecord, type Lookup } from "../../engine/scenario/interpolate.js";
import type { Fault, Place } from "./fault.js";
import { oddText } from "./odd-content.js";

/** What was asked for, so that it can be found in what was sent. */
export interface Intent {
  /** The name that a field of the body goes by on this server. */
  named(name: string): string;
  /** The fields of the valid body, filled in. */
  fields: Record<string, unknown>;
  look: Lookup;
}

/** Why the bytes that were sent do not show the fault they were meant to show; undefined when they do. */
export function unproven(
  fault: Fault,
  { method, url, headers, body }: WireRequest,
  { named, fields, look }: Intent,
): string | undefined {
  const sent = new URL(url); // what the client sends of an address is what is left of it here
  const bytes = Buffer.from(body ?? new Uint8Array());
  const name = (place: Place, of: string) => (place === "body" ? named(of) : of);
  const say = (ok: boolean) => (ok ? undefined : `the ${fault.kind} fault did not get on the wire`);
  switch (fault.kind) {
    case "none":
      return undefined;
    case "missing":
      return say(valuesOf(fault.in, name(fault.in, fault.name), sent, bytes).length === 0);
    case "wrong":
    case "edge":
    case "text":
    case "extra": {
      const value = fault.kind === "wrong" && fault.how === "past" ? interpolate(fault.value, look) : fault.value;
      const values = valuesOf(fault.in, name(fault.in, fault.name), sent, bytes);
      return say(values.length === 1 && isDeepStrictEqual(values[0], fault.in === "query" ? String(value) : plain(value)));
    }
    case "twice":
      return say(isDeepStrictEqual(sent.searchParams.getAll(fault.name), fault.values));
    case "method":
      return say(method === fault.value);
    case "unknown":
    case "segment":
      return say(sent.pathname.split("/").includes(fault.value));
    case "content":
      return say(bytes.equals(Buffer.from(oddText(fault.how, JSON.stringify(fields)))));
    case "header":
      return say((headers[fault.name] ?? null) === fault.value);
    case "credential":
      return say((headers.authorization ?? null) === fault.value && headers.cookie === undefined);
    default:
      return fault satisfies never;
  }
}

/** The values that a field has in what was sent, in its query or its JSON body. */
function valuesOf(place: Place, name: string, { searchParams }: URL, bytes: Buffer): unknown[] {
  if (place === "query") return searchParams.getAll(name);
  const body = parsed(bytes);
  return isRecord(body) && Object.hasOwn(body, name) ? [body[name]] : [];
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** A value as JSON gives it back. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
