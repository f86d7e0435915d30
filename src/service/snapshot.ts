import { arrangeLists } from "./arrangement.js";
import { copyOfWorld } from "./copies.js";
import { type Founding, sessionToken } from "./fixture.js";
import { tokenFor } from "./keys.js";
import { setWork } from "./work.js";
import type { World } from "./world.js";

/** A world's whole state as JSON, to be put back later, given to another mock, or founded on. `spec/schema/snapshot.json` says what each field means. */
export interface Snapshot {
  snapshot: 1;
  world: World;
}

/** Whether something is meant to be a snapshot. */
export function isSnapshot(given: object): given is Snapshot {
  return "snapshot" in given;
}

/**
 * Makes a world of a snapshot that was checked: the same state under another id, which its keys and sessions carry from now on. The seed is
 * what its random source goes on from.
 */
export function worldOf({ world: taken }: Snapshot, { id, seed, options, plan }: Founding): World {
  const { work, ...others } = options ?? {};
  const prefix = tokenFor(taken, "");
  const world = { ...copyOfWorld(taken), id, random: seed | 0 };
  Object.assign(world.options, others);
  for (const key of Object.values(world.keys)) key.token = tokenFor(world, key.token.slice(prefix.length));
  for (const session of Object.values(world.sessions)) session.token = sessionToken(world, session.id);
  const [first] = Object.values(world.workspaces);
  if (plan && first) first.plan = plan;
  if (work && work !== world.options.work) setWork(world, work);
  world.changes = [];
  arrangeLists(world);
  return world;
}
