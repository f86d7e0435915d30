import type { ClauseId } from "../../src/contract/types.js";
import type { Service } from "../../src/mock/site.js";
import type { IncomingCall, Reply } from "../../src/service/call.js";
import type { IncomingToolCall, ToolReply } from "../../src/service/tools/tool-call.js";
import type { Key, Observation, World } from "../../src/service/world.js";
import type { AroundWire } from "./wire.js";

/** A server with one fault. The suite must find it, and blame this clause. */
export type Mutant = { name: string; breaks: ClauseId } & Fault;

/** Something wrong around one function of the mock's service, or on the wire in front of it. */
export type Fault =
  | { around: Around }
  | { aroundTool(world: World, call: IncomingToolCall, performTool: Service["performTool"]): ToolReply }
  | { aroundEntry(world: World, authorization: string | undefined, enter: Enter): ReturnType<Service["enterTools"]> }
  | { aroundWire: AroundWire };

/** How a request to the API is answered, with the service's own answer at hand. */
export type Around = (world: World, call: IncomingCall, perform: Service["perform"]) => Reply;

/** Lets the sender of an Authorization header in to the tool server, or refuses. */
type Enter = (authorization: string | undefined) => ReturnType<Service["enterTools"]>;

/** The route that a call is for. */
export function routeOf({ target }: IncomingCall): string | null {
  return typeof target === "object" && "route" in target ? target.route : null;
}

/** The value that a path segment binds. */
export function param({ target }: IncomingCall, name: string): string {
  return typeof target === "object" && "route" in target ? (target.params[name] ?? "") : "";
}

/** The key that a call carries. */
export function keyOf(world: World, { authorization }: IncomingCall): Key | undefined {
  return Object.values(world.keys).find(({ token }) => authorization === `Bearer ${token}`);
}

/** The observation that a path names. */
export function observationOf(world: World, call: IncomingCall): Observation | undefined {
  return world.observations[param(call, "ref")];
}

/** The fields of a call's JSON body. */
export function bodyOf({ body }: IncomingCall): Record<string, unknown> {
  return body.kind === "json" ? (body.value as Record<string, unknown>) : {};
}

/** What the service answers while a thing of the world has other fields. */
export function pretending<T extends object>(thing: T | undefined, fields: Partial<T>, answer: () => Reply): Reply {
  if (!thing) return answer();
  const before = Object.fromEntries(Object.keys(fields).map((name) => [name, thing[name as keyof T]]));
  Object.assign(thing, fields);
  const reply = answer();
  Object.assign(thing, before);
  return reply;
}

/** The same list with other rows. */
export function withRows<Row>(reply: Reply, change: (rows: Row[]) => Row[]): Reply {
  const { data } = (reply.body ?? {}) as { data?: Row[] };
  return data ? withAnswer(reply, { data: change(data) }) : reply;
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
