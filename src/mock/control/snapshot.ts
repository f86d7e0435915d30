import type { World } from "../../service/world.js";
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
export function unfit({ world }: HostedWorld, given: Record<string, unknown>): string | null {
  if (given.snapshot !== 1 || kindOf(given.world) !== "object") return "This is no snapshot; send what GET …/snapshot answered.";
  const state = given.world as Record<string, unknown>;
  const wrong = Object.entries(world).find(([name, value]) => kindOf(value) !== kindOf(state[name]));
  if (wrong) return `This is no snapshot of this version: 'world.${wrong[0]}' is ${kindOf(state[wrong[0]])}.`;
  return state.id === world.id ? null : `This is a snapshot of the world '${state.id}'; its keys would not open '${world.id}'.`;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
}
