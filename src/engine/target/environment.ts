import { isRecord } from "../scenario/interpolate.js";
import { findShortCredentials } from "./credentials.js";
import { callHook, type HookContext } from "./hooks.js";
import type { Target } from "./target.js";

/** The environment of one scenario: its own world if the target creates worlds, else the target that all scenarios share. */
export interface Environment {
  target: Target;
  /** Id of the world; `default` for a shared target. */
  world: string;
  /** Whether the world was created for this scenario. */
  fresh: boolean;
  keys: Readonly<Record<string, string>>;
  sessions: Readonly<Record<string, string>>;
  repos: readonly string[];
}

/** Opens the environment of one scenario. The world is created from `fixture`, if given. */
export async function openEnvironment(
  target: Target,
  fixture: string | undefined,
  hooks: Omit<HookContext, "world">,
): Promise<{ ok: true; environment: Environment } | { ok: false; why: string }> {
  const { keys, sessions, repos } = target;
  if (!target.worlds) return { ok: true, environment: createSharedEnvironment(target) };
  const hookResponse = await callHook(target.worlds.create, fixture === undefined ? {} : { fixture }, { ...hooks, world: "" });
  if (!hookResponse.ok) return { ok: false, why: `no world could be created: ${hookResponse.why}` };
  if (!isRecord(hookResponse.value) || typeof hookResponse.value.id !== "string")
    return { ok: false, why: "no world could be created: the answer has no id" };
  const world = hookResponse.value as {
    id: string;
    keys?: Record<string, string>;
    sessions?: Record<string, string>;
    repos?: string[];
  };
  const credentials = { keys: world.keys ?? keys, sessions: world.sessions ?? sessions };
  const [short] = findShortCredentials(credentials);
  if (short !== undefined) return { ok: false, why: `the created world cannot be used: ${short}` };
  const environment = { target, world: world.id, fresh: true, ...credentials, repos: world.repos ?? repos };
  return { ok: true, environment };
}

/** Returns the environment of a target without worlds. */
export function createSharedEnvironment(target: Target): Environment {
  const { keys, sessions, repos } = target;
  return { target, world: "default", fresh: false, keys, sessions, repos };
}

/** Tells whether the environment is deleted after its scenario. */
export function isDisposable({ fresh, target }: Environment): boolean {
  return fresh && target.worlds?.remove !== undefined;
}

/** Deletes the world, if the target can. Errors are ignored: they are not findings. */
export async function closeEnvironment(environment: Environment, hooks: Omit<HookContext, "world">): Promise<void> {
  const remove = environment.target.worlds?.remove;
  if (environment.fresh && remove) await callHook(remove, {}, { ...hooks, world: environment.world });
}
