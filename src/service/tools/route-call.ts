import { listParameters, routes } from "../../contract/routes.js";
import type { RouteName } from "../../contract/types.js";
import type { Call } from "../call.js";
import type { ToolCall } from "./tool-call.js";

type Place = "path" | "query" | "body";

const placesOf = new Map<RouteName, Map<string, Place>>();

/**
 * Returns a tool call as a call of its route, so that both have the same effect. An argument that the route does not declare
 * becomes a query parameter of a read, or a field of the body.
 */
export function toRouteCall(route: RouteName, { caller, given }: ToolCall): Call {
  const { idempotency_key, ...rest } = given;
  const call: Call = {
    surface: "mcp",
    route,
    params: {},
    query: {},
    body: undefined,
    idempotencyKey: idempotency_key as string | undefined,
    caller,
  };
  const body: Record<string, unknown> = {};
  const target: Record<Place, Record<string, unknown>> = { path: call.params, query: call.query, body };
  for (const [name, value] of Object.entries(rest)) target[findPlace(route, name)][name] = value;
  if (routes[route].operation.requestBody) call.body = body;
  return call;
}

function findPlace(route: RouteName, name: string): Place {
  let places = placesOf.get(route);
  if (!places) {
    places = new Map(listParameters(route).map((parameter) => [parameter.name, parameter.in as Place]));
    placesOf.set(route, places);
  }
  return places.get(name) ?? (routes[route].method === "GET" ? "query" : "body");
}
