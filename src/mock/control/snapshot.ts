import type { World } from "../../service/world.js";
import type { Problem } from "../problems.js";
import type { HostedWorld } from "../worlds.js";

/** A world's whole state as JSON, to be put back later or into another mock. */
export interface Snapshot {
  snapshot: 1;
  world: World;
}

/** Takes a snapshot. It is the live value: serialise it before the next call. */
export function takeSnapshot({ world }: HostedWorld): Snapshot {
  return { snapshot: 1, world };
}

/** Why a snapshot cannot be put into a world, or null. Its keys open only the world whose id they carry. */
export function unfit({ world }: HostedWorld, given: Record<string, unknown>): Problem | null {
  if (given.snapshot !== 1)
    return { problem: "This is no snapshot; send what GET …/snapshot answered.", field: "snapshot", allowed: ["1"] };
  if (kindOf(given.world) !== "object")
    return { problem: "This is no snapshot; send what GET …/snapshot answered.", field: "world" };
  const state = given.world as Record<string, unknown>;
  const wrong = Object.entries(world).find(([name, value]) => kindOf(value) !== kindOf(state[name]));
  if (wrong) {
    const field = `world.${wrong[0]}`;
    return { problem: `This is no snapshot of this version: '${field}' is ${kindOf(state[wrong[0]])}.`, field };
  }
  if (state.id === world.id) return null;
  const problem = `This is a snapshot of the world '${state.id}'; its keys would not open '${world.id}'.`;
  return { problem, field: "world.id", allowed: [world.id] };
}

function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
}
