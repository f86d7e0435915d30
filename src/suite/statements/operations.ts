import type { Effect, Row } from "../../engine/scenario/format.js";
import { type Route, type RouteText, routes, routeText } from "./routes.js";
import type { Scope } from "./scopes.js";
import { type ToolAlone, type ToolPurpose, type ToolText, toolOfRoute, toolPurposes, toolText } from "./tools.js";

/** Whatever can be asked of the service: a route, or the purpose of a tool that has no route. */
export type Operation = Route | ToolAlone;

/** What the text says of one operation over both surfaces, apart from how its answers come out. */
export interface OperationText extends RouteText {
  /** Purpose of the tool that does it. */
  tool?: ToolPurpose;
  /** The clause by which there is that tool. */
  toolClause?: string;
  /** Scopes that the tool needs (MCP-SCOPE-*). */
  scopes: readonly Scope[];
  /** The clause of that. */
  scopeClause?: string;
  /** What the tool can be called with beside its subject. */
  sample?: Row;
}

/** Every route, then every tool that has none. */
export const operations: Readonly<Record<Operation, OperationText>> = Object.fromEntries([
  ...(Object.keys(routes) as Route[]).map((route) => [route, { ...routeText(route), ...ofTool(toolOfRoute(route)) }]),
  ...toolPurposes.flatMap((purpose) => {
    const text = toolText(purpose);
    return "route" in text ? [] : [[purpose, { subject: text.subject, effect: text.effect, ...ofTool(purpose) }]];
  }),
]) as Record<Operation, OperationText>;

/** What is known of an operation. */
export function textOf(what: Operation): OperationText {
  return operations[what];
}

/** Whether an operation is a route; else it is a tool alone. */
export function isRoute(what: Operation): what is Route {
  return what in routes;
}

const patterns = (Object.keys(routes) as Route[]).map((name) => {
  const [method, path = ""] = name.split(" ");
  return { name, pattern: new RegExp(`^${method} ${path.replace(/\{\w+\}/g, "[^/]+")}$`) };
});

/** The route of a request, by its method and its path without a query (`POST /api/jobs/7/cancel`); undefined for one that the text does not have. */
export function operationOf(request: string): Route | undefined {
  return patterns.find(({ pattern }) => pattern.test(request))?.name;
}

/** The operation of a request by its address, or as much of it as there is: whatever stands before the API is passed over, and so is a query. */
export function operationAt(method: string, address: string): Operation | undefined {
  return operationOf(`${method} ${address.replace(/[?#].*/, "").replace(/^.*?(?=\/api\/)/, "")}`);
}

/** What each tool does to the server, by its purpose. */
export const toolEffects: Readonly<Record<string, Effect>> = Object.fromEntries(
  toolPurposes.map((purpose) => [purpose, textOf(operationOfTool(purpose)).effect]),
);

/** What a tool does: its route, or itself where it has none. */
export function operationOfTool(purpose: ToolPurpose): Operation {
  const text = toolText(purpose);
  return "route" in text ? text.route : (purpose as ToolAlone);
}

function ofTool(
  purpose: ToolPurpose | undefined,
): Pick<OperationText, "tool" | "toolClause" | "scopes" | "scopeClause" | "sample"> {
  if (purpose === undefined) return { scopes: [] };
  const { clause, scopes, scopeClause, sample }: ToolText = toolText(purpose);
  return {
    tool: purpose,
    toolClause: clause,
    scopes,
    ...(scopeClause !== undefined && { scopeClause }),
    ...(sample && { sample }),
  };
}
