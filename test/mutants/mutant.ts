import type { ClauseId } from "../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../src/service/call.js";
import type { World } from "../../src/service/world.js";

/** How a service answers a call. */
export type Perform = (world: World, call: IncomingCall) => Reply;

/** A server with one fault: the mock with something wrong around `perform`. The suite must find it, and blame this clause. */
export interface Mutant {
  name: string;
  breaks: ClauseId;
  around(world: World, call: IncomingCall, perform: Perform): Reply;
}

/** The route that a call is for. */
export function routeOf({ target }: IncomingCall): string | null {
  return typeof target === "object" && "route" in target ? target.route : null;
}

/** The value that a path segment binds. */
export function param({ target }: IncomingCall, name: string): string {
  return typeof target === "object" && "route" in target ? (target.params[name] ?? "") : "";
}

/** The same call with other query parameters; undefined drops one. */
export function withQuery(call: IncomingCall, changes: Record<string, string | undefined>): IncomingCall {
  const query: Record<string, readonly string[]> = { ...call.query };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete query[name];
    else query[name] = [value];
  }
  return { ...call, query };
}

/** The same call with other fields in its JSON body. */
export function withBody(call: IncomingCall, changes: Record<string, unknown>): IncomingCall {
  if (call.body.kind !== "json") return call;
  return { ...call, body: { kind: "json", value: { ...(call.body.value as object), ...changes } } };
}

/** The same reply with other fields in its JSON body. */
export function withAnswer(reply: Reply, changes: Record<string, unknown>): Reply {
  return { ...reply, body: { ...(reply.body as object), ...changes } };
}

/** The same reply without a header. */
export function withoutHeader(reply: Reply, name: string): Reply {
  const { [name]: _, ...headers } = reply.headers;
  return { ...reply, headers };
}

/** The same refusal with other fields in its error object. */
export function withError(reply: Reply, changes: Record<string, unknown>): Reply {
  return { ...reply, body: { error: { ...(reply.body as { error: object }).error, ...changes } } };
}
