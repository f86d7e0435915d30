import { type Reply, refuse } from "../../service/call.js";
import { refuseOutside } from "../answer.js";
import { paidRoutes } from "./cases.js";
import type { Dice } from "./dice.js";
import type { Subject } from "./variation.js";

/** Refuses before anything is done; null where it may not. */
export type Early = (subject: Subject, dice: Dice) => Reply | null;

/** The hourly ceiling is not shown: what starts paid work may be told to wait at any time. SPEND-CODE. */
export const waitEarly: Early = ({ world, route }, dice) =>
  route !== null && paidRoutes.has(route)
    ? refuseOutside(world, refuse("rate_limit_budget", { retryAfter: dice.pick([1, 2, 3]) ?? 1 }).refusal)
    : null;

/** A dependency is out for a moment. ERR-TYPE-SERVER. */
export const beOut: Early = ({ world, surface }, dice) => {
  if (surface === "mcp") return null;
  const wait = dice.falls(4) ? {} : { retryAfter: dice.pick([1, 2]) ?? 1 };
  return refuseOutside(world, refuse("service_unavailable", wait).refusal);
};
