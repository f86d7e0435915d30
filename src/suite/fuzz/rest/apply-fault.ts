import type { RequestText, Row } from "../../../engine/scenario/format.js";
import { interpolate, isRecord, type Lookup } from "../../../engine/scenario/interpolate.js";
import { createBody } from "../faults/body-content.js";
import type { Fault, Place } from "../faults/fault.js";
import { escapeLiteral } from "../faults/literal.js";
import type { Operation } from "../faults/operation.js";
import { buildPath } from "./valid-request.js";

/** A valid request, and the lookup of its variables. */
export interface FaultBase {
  operation: Operation;
  request: RequestText & { rest: string };
  look: Lookup;
}

/** Returns the request with one fault. */
export function applyFault({ operation, request, look }: FaultBase, fault: Fault): RequestText & { rest: string } {
  switch (fault.kind) {
    case "none":
      return request;
    case "missing":
      return withFields(request, fault.in, (fields) => removeField(fields, findWireName(operation, fault.name)));
    case "wrong":
      // past times are variables that the target's clock replaces
      return withField(request, operation, fault, fault.how === "past" ? fault.value : escapeLiteral(fault.value));
    case "edge":
    case "text":
    case "extra":
      return withField(request, operation, fault, escapeLiteral(fault.value));
    case "twice":
      return withFields(request, "query", (fields) => ({ ...fields, [fault.name]: escapeLiteral(fault.values) }));
    case "method":
      return { ...request, rest: request.rest.replace(/^\S+/, fault.value) };
    case "unknown":
    case "segment":
      return { ...request, rest: buildPath(operation, { [fault.name]: escapeLiteral(fault.value) }) };
    case "content":
      return withContent(request, fault.how, look);
    case "header":
      return withHeader(request, fault.name, fault.value);
    case "credential":
      return withCredential(request, fault);
    default:
      return fault satisfies never;
  }
}

/** Returns the name of a body field on this server. The contract does not show the names of registration and key fields. */
export function findWireName({ route }: Pick<Operation, "route">, name: string): string {
  if (route === "POST /api/repos" && ["owner", "repo", "branch"].includes(name)) return `{binding.register_body.${name}}`;
  const isKey = route === "POST /api/keys" || route === "PATCH /api/keys/{key_id}";
  return isKey && ["name", "scopes"].includes(name) ? `{binding.key_${name}_field}` : name;
}

function withField(
  request: RequestText & { rest: string },
  operation: Operation,
  fault: { in: Place; name: string },
  value: unknown,
): RequestText & { rest: string } {
  const name = fault.in === "body" ? findWireName(operation, fault.name) : escapeLiteral(fault.name);
  const changed = withFields(request, fault.in, (fields) => ({ ...fields, [name]: value }));
  return hasUnpairedSurrogate(value) && fault.in === "body" ? withEscapedBody(changed) : changed;
}

function withFields(
  request: RequestText & { rest: string },
  place: Place,
  change: (fields: Row) => Row,
): RequestText & { rest: string } {
  if (place === "query") return { ...request, query: change(request.query ?? {}) };
  return { ...request, json: change(isRecord(request.json) ? request.json : {}) };
}

/** Builds fields one by one, because a literal `__proto__` would set the prototype. */
function removeField(fields: Row, name: string): Row {
  return Object.fromEntries(Object.entries(fields).filter(([other]) => other !== name));
}

function hasUnpairedSurrogate(value: unknown): boolean {
  return typeof value === "string" && /\p{Surrogate}/u.test(value);
}

/** Escapes an unpaired surrogate in JSON, so that a scenario file can contain it. */
function withEscapedBody({ json, headers, ...request }: RequestText & { rest: string }): RequestText & { rest: string } {
  return { ...request, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(json) };
}

function withContent(request: RequestText & { rest: string }, how: (Fault & { kind: "content" })["how"], look: Lookup) {
  const { json, headers, ...rest } = request;
  const whole = interpolate(isRecord(json) ? json : {}, look);
  return { ...rest, headers: { "content-type": "application/json", ...headers }, ...createBody(how, whole) };
}

function withHeader(request: RequestText & { rest: string }, name: string, value: string | null) {
  return { ...request, headers: { ...request.headers, [name]: value === null ? null : escapeLiteral(value) } };
}

function withCredential(request: RequestText & { rest: string }, fault: Fault & { kind: "credential" }) {
  const { as: _, session, ...rest } = request;
  const at = session === undefined ? {} : { at: "session" as const };
  return fault.value === null ? { ...rest, ...at, as: "none" } : { ...rest, authorization: escapeLiteral(fault.value) };
}
