import { contract } from "../contract/load.js";
import { envelope } from "../service/access/refusals.js";
import type { Refusal, Reply } from "../service/call.js";
import type { World } from "../service/world/world.js";

/** A refusal from outside the gates: a fault, a wish of the client, a failure of ours. It claims no gate as passed. */
export function refuseOutside(world: World, refusal: Refusal, status = contract.errors[refusal.code].status): Reply {
  return { ...envelope(world, refusal, "authenticate"), status };
}
