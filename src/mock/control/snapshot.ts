import type { Problem } from "../../common/problem.js";
import type { Snapshot } from "../../service/fixture/snapshot.js";
import { copyWorld } from "../../service/world/copies.js";
import { findSnapshotProblem } from "../worlds/snapshot-validation.js";
import type { WorldEntry } from "../worlds/worlds.js";

export type { Snapshot } from "../../service/fixture/snapshot.js";

/** Returns a snapshot. Later calls do not change it. */
export function takeSnapshot({ world }: WorldEntry): Snapshot {
  return { snapshot: 1, world: copyWorld(world) };
}

/** Returns why a snapshot cannot be put into a world, or null. Keys in a snapshot must carry the id of the world. */
export function findImportProblem({ world }: WorldEntry, given: object): Problem | null {
  const id = (given as { world?: { id?: unknown } | null }).world?.id;
  if (typeof id !== "string" || id === world.id) return findSnapshotProblem(given);
  const description = `This is a snapshot of the world '${id}'; its keys do not select '${world.id}'. Create a world with the snapshot as its fixture.`;
  return { problem: description, field: "world.id", pointer: "/world/id", allowed: [world.id] };
}
