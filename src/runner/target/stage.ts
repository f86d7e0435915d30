import { isRecord } from "../scenario/interpolate.js";
import { callHook, type HookContext } from "./hooks.js";
import type { Target } from "./target.js";

/** Where one scenario is played: a world of its own where the target makes worlds, else the target as it stands. */
export interface Stage {
  target: Target;
  world: string;
  fresh: boolean;
  keys: Readonly<Record<string, string>>;
  sessions: Readonly<Record<string, string>>;
  repos: readonly string[];
}

/** Opens the stage of one scenario. With `fixture`, the world is made from it. */
export async function openStage(
  target: Target,
  fixture: string | undefined,
  hooks: Omit<HookContext, "world">,
): Promise<{ ok: true; stage: Stage } | { ok: false; why: string }> {
  const { keys, sessions, repos } = target;
  if (!target.worlds) return { ok: true, stage: { target, world: "default", fresh: false, keys, sessions, repos } };
  const made = await callHook(target.worlds.create, fixture === undefined ? {} : { fixture }, { ...hooks, world: "" });
  if (!made.ok) return { ok: false, why: `no world could be made: ${made.why}` };
  if (!isRecord(made.value) || typeof made.value.id !== "string")
    return { ok: false, why: "no world could be made: the answer has no id" };
  const world = made.value as { id: string; keys?: Record<string, string>; sessions?: Record<string, string>; repos?: string[] };
  return {
    ok: true,
    stage: {
      target,
      world: world.id,
      fresh: true,
      keys: world.keys ?? keys,
      sessions: world.sessions ?? sessions,
      repos: world.repos ?? repos,
    },
  };
}

/** Whether nothing in the stage outlives the play. */
export function isThrownAway({ fresh, target }: Stage): boolean {
  return fresh && target.worlds?.remove !== undefined;
}

/** Gives the world back, if the target takes it back. What goes wrong here is nobody's finding. */
export async function closeStage(stage: Stage, hooks: Omit<HookContext, "world">): Promise<void> {
  const remove = stage.target.worlds?.remove;
  if (stage.fresh && remove) await callHook(remove, {}, { ...hooks, world: stage.world });
}
