import { isRecord } from "../scenario/interpolate.js";
import { shortCredentials } from "./credentials.js";
import { callHook, type HookContext } from "./hooks.js";
import type { Target } from "./target.js";

/** Where one scenario runs: a world of its own where the target makes worlds, else the target as it stands. */
export interface Environment {
  target: Target;
  world: string;
  fresh: boolean;
  keys: Readonly<Record<string, string>>;
  sessions: Readonly<Record<string, string>>;
  repos: readonly string[];
}

/** Opens the environment of one scenario. With `fixture`, the world is made from it. */
export async function openEnvironment(
  target: Target,
  fixture: string | undefined,
  hooks: Omit<HookContext, "world">,
): Promise<{ ok: true; environment: Environment } | { ok: false; why: string }> {
  const { keys, sessions, repos } = target;
  if (!target.worlds) return { ok: true, environment: sharedEnvironment(target) };
  const made = await callHook(target.worlds.create, fixture === undefined ? {} : { fixture }, { ...hooks, world: "" });
  if (!made.ok) return { ok: false, why: `no world could be made: ${made.why}` };
  if (!isRecord(made.value) || typeof made.value.id !== "string")
    return { ok: false, why: "no world could be made: the answer has no id" };
  const world = made.value as { id: string; keys?: Record<string, string>; sessions?: Record<string, string>; repos?: string[] };
  const credentials = { keys: world.keys ?? keys, sessions: world.sessions ?? sessions };
  const [short] = shortCredentials(credentials);
  if (short !== undefined) return { ok: false, why: `the world that was made is of no use: ${short}` };
  const environment = { target, world: world.id, fresh: true, ...credentials, repos: world.repos ?? repos };
  return { ok: true, environment };
}

/** The target as it stands. */
export function sharedEnvironment(target: Target): Environment {
  const { keys, sessions, repos } = target;
  return { target, world: "default", fresh: false, keys, sessions, repos };
}

/** Whether nothing in the environment outlives its scenario. */
export function isDisposable({ fresh, target }: Environment): boolean {
  return fresh && target.worlds?.remove !== undefined;
}

/** Gives the world back, if the target takes it back. What goes wrong here is nobody's finding. */
export async function closeEnvironment(environment: Environment, hooks: Omit<HookContext, "world">): Promise<void> {
  const remove = environment.target.worlds?.remove;
  if (environment.fresh && remove) await callHook(remove, {}, { ...hooks, world: environment.world });
}
