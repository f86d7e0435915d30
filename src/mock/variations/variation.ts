import type { RouteName } from "../../contract/types.js";
import type { IncomingCall, Reply } from "../../service/call.js";
import type { World } from "../../service/world/world.js";
import type { Writing } from "../http/answer.js";
import type { Draws } from "./draws.js";

/** The call that a variation looks at, over REST or of a tool; of a tool, `route` is the route whose work it does. */
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

/** Makes another legal answer of an answer; null where it has nothing to change. */
export type Vary = (reply: Reply, subject: Subject, dice: Draws) => Reply | null;

/** Says how a reply is to be written; null where it has nothing to say. */
export type Write = (reply: Pick<Reply, "body">, dice: Draws) => Writing | null;
