import type { ToolPurpose } from "../../src/contract/tool-types.js";
import type { ClauseId, Scope } from "../../src/contract/types.js";
import type { Cell } from "../../src/engine/scenario/dimensions.js";
import type { Service } from "../../src/mock/call/service.js";
import type { IncomingCall, ServiceResponse } from "../../src/service/call.js";
import type { IncomingToolCall, ToolResponse } from "../../src/service/tools/tool-call.js";
import type { Key, Observation, Repo, Session, World } from "../../src/service/world/world.js";
import type { AroundWire } from "./wire.js";

/** A mock with one fault. The suite must find the fault and fail this clause. */
export type Mutant = {
  /** The rest of the sentence "The mock …", such as "closes a completed observation as fixed instead of completed". */
  name: string;
  /** The clause that the fault breaks. Its first words name the mutant's file. */
  breaks: ClauseId;
  /** The one value of the clause's dimension that the fault breaks. All other values stay right. */
  value?: Cell;
} & Fault;

/** A fault in one or several places: around functions of the mock's service, or in the traffic in front of it. */
export type Fault = { around: WrapCall } | { aroundTool: AroundTool } | { aroundEntry: WrapEntry } | { aroundWire: AroundWire };

/** Answers a request to the API. It can call the service for the right answer. */
export type WrapCall = (world: World, call: IncomingCall, perform: Service["perform"]) => ServiceResponse;

/** Answers a tool call. It can call the service for the right answer. */
export type AroundTool = (world: World, call: IncomingToolCall, performTool: Service["performTool"]) => ToolResponse;

/** Authenticates a caller of the tool server. It can call the service for the right result. */
export type WrapEntry = (
  world: World,
  authorization: string | undefined,
  enter: Enter,
) => ReturnType<Service["authenticateToolCaller"]>;

/** Admits the sender of an Authorization header to the tool server, or refuses. */
type Enter = (authorization: string | undefined) => ReturnType<Service["authenticateToolCaller"]>;

/** The route that a call is for. */
export function getRoute({ target }: IncomingCall): string | null {
  return typeof target === "object" && "route" in target ? target.route : null;
}

/** The value that a path segment binds. */
export function param({ target }: IncomingCall, name: string): string {
  return typeof target === "object" && "route" in target ? (target.params[name] ?? "") : "";
}

/** The key that a call carries. */
export function getKey(world: World, { authorization }: IncomingCall): Key | undefined {
  return Object.values(world.keys).find(({ token }) => authorization === `Bearer ${token}`);
}

/** The sign-in that a call shows. */
export function getSession({ sessions }: World, { cookie }: IncomingCall): Session | undefined {
  return Object.values(sessions).find(({ token }) => token === cookie);
}

/** The observation that a path names. */
export function getObservation(world: World, call: IncomingCall): Observation | undefined {
  return world.observations[param(call, "ref")];
}

/** The live repository of the key's workspace that a path names. */
export function getRepo(world: World, call: IncomingCall): Repo | undefined {
  const workspace = getKey(world, call)?.workspace;
  const [owner, name, branch] = ["owner", "repo", "branch"].map((part) => param(call, part));
  return Object.values(world.repos).find(
    (row) => row.workspace === workspace && !row.deleted_at && row.owner === owner && row.repo === name && row.branch === branch,
  );
}

/** The fields of a call's JSON body. */
export function getBody({ body }: IncomingCall): Record<string, unknown> {
  return body.kind === "json" ? (body.value as Record<string, unknown>) : {};
}

/** Returns the response of the service while an object of the world has other fields. */
export function withTemporaryFields<T extends object>(
  thing: T | undefined,
  fields: Partial<T>,
  response: () => ServiceResponse,
): ServiceResponse {
  if (!thing) return response();
  const before = Object.fromEntries(Object.keys(fields).map((name) => [name, thing[name as keyof T]]));
  Object.assign(thing, fields);
  const serviceResponse = response();
  Object.assign(thing, before);
  return serviceResponse;
}

/** The same list with other rows. */
export function withRows<Row>(response: ServiceResponse, change: (rows: Row[]) => Row[]): ServiceResponse {
  const { data } = (response.body ?? {}) as { data?: Row[] };
  return data ? withResponse(response, { data: change(data) }) : response;
}

/** A fault of one route alone. */
export function wrapRoute(route: string, wrapCall: WrapCall): WrapCall {
  return (world, call, perform) => (getRoute(call) === route ? wrapCall(world, call, perform) : perform(world, call));
}

/** Changes the responses of one route. */
export function changeResponses(
  route: string,
  change: (response: ServiceResponse, world: World, call: IncomingCall) => ServiceResponse,
): WrapCall {
  return wrapRoute(route, (world, call, perform) => change(perform(world, call), world, call));
}

/** Changes the rows in the successful answers of one route: each row of a list, or the one resource. */
export function changeShownRows(route: string, change: (shown: Shown, world: World) => unknown): WrapCall {
  return changeResponses(route, (response, world) => getChangeRows(response, (shown) => change(shown, world)));
}

/** Changes the rows in the successful results of one tool: each row of a list, or the one resource. */
export function changeToolRows(purpose: ToolPurpose, change: (shown: Shown) => unknown): AroundTool {
  return (world, call, performTool) => {
    const response = performTool(world, call);
    return call.purpose === purpose ? getChangeRows(response, change) : response;
  };
}

/** Changes the rows in a successful response: each row of a list, or the one resource. */
export function getChangeRows(response: ServiceResponse, change: (shown: Shown) => unknown): ServiceResponse {
  if (response.status >= 300) return response;
  const body = response.body as Shown & { data?: Shown[] };
  return body.data ? withRows(response, (rows: Shown[]) => rows.map(change) as Shown[]) : { ...response, body: change(body) };
}

/** A part of a response. */
export type Shown = Record<string, unknown>;

/** The same call with other values in its path. */
export function withParams(call: IncomingCall, changes: Record<string, string>): IncomingCall {
  const { target } = call;
  if (typeof target !== "object" || !("route" in target)) return call;
  return { ...call, target: { ...target, params: { ...target.params, ...changes } } };
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
export function withResponse(response: ServiceResponse, changes: Record<string, unknown>): ServiceResponse {
  return { ...response, body: { ...(response.body as object), ...changes } };
}

/** The same reply without a header. */
export function withoutHeader(response: ServiceResponse, name: string): ServiceResponse {
  const { [name]: _, ...headers } = response.headers;
  return { ...response, headers };
}

/** The same refusal with other fields in its error object. */
export function withError(response: ServiceResponse, changes: Record<string, unknown>): ServiceResponse {
  return { ...response, body: { error: { ...(response.body as { error: object }).error, ...changes } } };
}

/** The same tool call with other arguments. */
export function withArguments(call: IncomingToolCall, given: IncomingToolCall["arguments"]): IncomingToolCall {
  return { ...call, arguments: given };
}

/** The same tool call of a caller with more scopes. */
export function withScopes(call: IncomingToolCall, more: readonly Scope[]): IncomingToolCall {
  return { ...call, caller: { ...call.caller, scopes: new Set([...call.caller.scopes, ...more]) } };
}
