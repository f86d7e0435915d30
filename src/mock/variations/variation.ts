import type { RouteName } from "../../contract/types.js";
import type { IncomingCall, ServiceResponse } from "../../service/call.js";
import type { World } from "../../service/world/world.js";
import type { Writing } from "../http/response.js";
import type { Draws } from "./draws.js";

/** The call that a variation reads, over REST or of a tool. For a tool, `route` is the route with the same effect. */
export interface Subject {
  world: World;
  surface: IncomingCall["surface"];
  route: RouteName | null;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  authorization: string | undefined;
  ip: string | null;
}

/** Returns another legal answer; null if the variation changes nothing. */
export type VariationFunction = (response: ServiceResponse, subject: Subject, dice: Draws) => ServiceResponse | null;

/** Returns how to write a reply; null if the variation changes nothing. */
export type Write = (response: Pick<ServiceResponse, "body">, dice: Draws) => Writing | null;
