import type { RouteName } from "../../contract/types.js";
import { levelsOf } from "../../service/limits/buckets.js";
import { keyByToken } from "../../service/world/lookups.js";
import type { World } from "../../service/world/world.js";
import type { MeterLevel } from "./journal.js";

/** How full the buckets are that a call with this credential draws on; null where it has none. */
export function levelsFor(
  world: World,
  authorization: string | undefined,
  surface: "rest" | "mcp",
  route: RouteName | null,
): MeterLevel[] | null {
  const key = authorization && keyByToken(world, authorization.slice(authorization.lastIndexOf(" ") + 1));
  return key && world.workspaces[key.workspace] ? levelsOf(world, key, surface, route) : null;
}
