import type { Effect, Row } from "../../engine/scenario/format.js";
import { findRouteStatement, type Route, type RouteStatement, routes } from "./routes.js";
import type { Scope } from "./scopes.js";
import {
  findRouteTool,
  findToolStatement,
  type ToolPurpose,
  type ToolStatement,
  type ToolWithoutRoute,
  toolPurposes,
} from "./tools.js";

/** An operation of the service: a route, or the purpose of a tool that has no route. */
export type Operation = Route | ToolWithoutRoute;

/** The contract's statement about one operation on both surfaces, except for its responses. */
export interface OperationStatement extends RouteStatement {
  /** Purpose of the tool that does the same. */
  tool?: ToolPurpose;
  /** The clause that requires the tool. */
  toolClause?: string;
  /** Scopes that the tool needs (MCP-SCOPE-*). */
  scopes: readonly Scope[];
  /** The clause of the scopes. */
  scopeClause?: string;
  /** Sample arguments of the tool besides its subject. */
  sample?: Row;
}

/** Every route, followed by every tool that has no route. */
export const operations: Readonly<Record<Operation, OperationStatement>> = Object.fromEntries([
  ...(Object.keys(routes) as Route[]).map((route) => [
    route,
    { ...findRouteStatement(route), ...createToolStatement(findRouteTool(route)) },
  ]),
  ...toolPurposes.flatMap((purpose) => {
    const text = findToolStatement(purpose);
    return "route" in text ? [] : [[purpose, { subject: text.subject, effect: text.effect, ...createToolStatement(purpose) }]];
  }),
]) as Record<Operation, OperationStatement>;

/** Returns the contract's statement about an operation. */
export function findOperationStatement(operation: Operation): OperationStatement {
  return operations[operation];
}

/** Returns whether an operation is a route; otherwise it is a tool without a route. */
export function isRoute(operation: Operation): operation is Route {
  return operation in routes;
}

const routePatterns = (Object.keys(routes) as Route[]).map((name) => {
  const [method, path = ""] = name.split(" ");
  return { name, pattern: new RegExp(`^${method} ${path.replace(/\{\w+\}/g, "[^/]+")}$`) };
});

/** Returns the route of a request by method and path without a query (`POST /api/jobs/7/cancel`); undefined for an unknown route. */
export function findOperation(request: string): Route | undefined {
  return routePatterns.find(({ pattern }) => pattern.test(request))?.name;
}

/** Returns the operation of a request by its method and address. Ignores the query and everything before `/api/`. */
export function findOperationAt(method: string, address: string): Operation | undefined {
  return findOperation(`${method} ${address.replace(/[?#].*/, "").replace(/^.*?(?=\/api\/)/, "")}`);
}

/** The effect of each tool on the server, by its purpose. */
export const toolEffects: Readonly<Record<string, Effect>> = Object.fromEntries(
  toolPurposes.map((purpose) => [purpose, findOperationStatement(findToolOperation(purpose)).effect]),
);

/** Returns the route of a tool, or its purpose where it has none. */
export function findToolOperation(purpose: ToolPurpose): Operation {
  const text = findToolStatement(purpose);
  return "route" in text ? text.route : (purpose as ToolWithoutRoute);
}

function createToolStatement(
  purpose: ToolPurpose | undefined,
): Pick<OperationStatement, "tool" | "toolClause" | "scopes" | "scopeClause" | "sample"> {
  if (purpose === undefined) return { scopes: [] };
  const { clause, scopes, scopeClause, sample }: ToolStatement = findToolStatement(purpose);
  return {
    tool: purpose,
    toolClause: clause,
    scopes,
    ...(scopeClause !== undefined && { scopeClause }),
    ...(sample && { sample }),
  };
}
