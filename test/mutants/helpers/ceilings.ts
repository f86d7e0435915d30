import type { Key } from "../../../src/service/world/world.js";
import { getBody, param, type Shown, type WrapCall, wrapRoute } from "../mutant.js";
import { ceilingNames } from "./keys.js";
import { changeKeyRoute } from "./routes.js";

/** Removes a ceiling of a key. */
export function clearCeiling(key: Key, field: string): void {
  Object.assign(key, { [field]: null });
}

/** Returns whether a body lowers a ceiling of a key. */
export function isLowerCeiling(body: Shown, key: Key): boolean {
  return ceilingNames.some((field) => typeof body[field] === "number" && (body[field] as number) < (key[field] ?? Infinity));
}

/** Clears a ceiling that its key was not made with. */
export function clearOwnCeilings(): WrapCall {
  const ceilingsByKey = new WeakMap<Key, Set<string>>();
  return wrapRoute(changeKeyRoute, (world, call, perform) => {
    const key = world.keys[param(call, "key_id")];
    if (!key) return perform(world, call);
    const changedCeilings = ceilingsByKey.get(key) ?? new Set();
    ceilingsByKey.set(key, changedCeilings);
    const body = getBody(call);
    const cleared = ceilingNames.filter((field) => body[field] === null && changedCeilings.has(field));
    for (const field of ceilingNames) if (key[field] === null && typeof body[field] === "number") changedCeilings.add(field);
    if (cleared.length === 0) return perform(world, call);
    for (const field of cleared) key[field] = null;
    const left = Object.fromEntries(Object.entries(body).filter(([name]) => !cleared.some((field) => field === name)));
    return perform(world, { ...call, body: { kind: "json", value: left } });
  });
}
