import type { Key, Workspace } from "../../src/service/world/world.js";
import { patched, patching } from "./key-terms.js";
import { type Around, bodyOf, keyOf, type Mutant, onRoute, param, pretending, type Shown } from "./mutant.js";

const ceilings = ["requests_per_minute", "dollars_per_hour"] as const;

/** Faults in keys that only a change of several things shows, or a change after another. */
export const severalAtOnceMutants: Mutant[] = [
  {
    name: "takes the scopes of a change that it refuses",
    breaks: "KEY-PATCH-UNCHANGED",
    around: patched((_before, { status, body }, key) => {
      const { scopes } = body as Partial<Key>;
      if (status === 400 && scopes?.every((scope) => key.scopes.includes(scope))) key.scopes = scopes;
    }),
  },
  {
    name: "takes the lower ceiling of a change that it refuses for the other",
    breaks: "KEY-PATCH-UNCHANGED",
    around: patched((_before, { status, body }, key) => {
      for (const field of ceilings) {
        const [now, next] = [key[field], body[field]];
        if (status === 400 && typeof next === "number" && (now === null || next < now)) key[field] = next;
      }
    }),
  },
  {
    name: "narrows no scopes where a ceiling is changed too",
    breaks: "SCOPE-NARROW-EFFECT",
    around: patching(({ scopes, ...body }) =>
      ceilings.some((field) => field in body) ? body : { ...body, ...(scopes !== undefined && { scopes }) },
    ),
  },
  {
    name: "lowers no ceiling where scopes are narrowed too",
    breaks: "KEY-PATCH-LOWER",
    around: patching((body, key) => (body.scopes && isLower(body, key) ? { scopes: body.scopes } : body)),
  },
  { name: "clears by PATCH what a PATCH has set", breaks: "KEY-PATCH-CLEAR", around: clearing() },
  { name: "gives back with an end of suspension what a PATCH took", breaks: "WORKSPACE-REACTIVATE", around: givingBack() },
];

function isLower(body: Shown, key: Key): boolean {
  return ceilings.some((field) => typeof body[field] === "number" && (body[field] as number) < (key[field] ?? Infinity));
}

/** Clears a ceiling that its key was not made with. */
function clearing(): Around {
  const set = new WeakMap<Key, Set<string>>();
  return onRoute("PATCH /api/keys/{key_id}", (world, call, perform) => {
    const key = world.keys[param(call, "key_id")];
    if (!key) return perform(world, call);
    const mine = set.get(key) ?? new Set();
    set.set(key, mine);
    const body = bodyOf(call);
    const cleared = ceilings.filter((field) => body[field] === null && mine.has(field));
    for (const field of ceilings) if (key[field] === null && typeof body[field] === "number") mine.add(field);
    if (cleared.length === 0) return perform(world, call);
    for (const field of cleared) key[field] = null;
    const left = Object.fromEntries(Object.entries(body).filter(([name]) => !cleared.some((field) => field === name)));
    return perform(world, { ...call, body: { kind: "json", value: left } });
  });
}

/** Lets a key have the scopes again that it was made with, once its workspace was suspended. */
function givingBack(): Around {
  const first = new WeakMap<Key, Key["scopes"]>();
  const suspended = new WeakSet<Workspace>();
  return (world, call, perform) => {
    for (const key of Object.values(world.keys)) if (!first.has(key)) first.set(key, key.scopes);
    const key = keyOf(world, call);
    const workspace = world.workspaces[key?.workspace ?? ""];
    if (workspace?.state === "suspended") suspended.add(workspace);
    const isBack = key && workspace?.state === "active" && suspended.has(workspace);
    const scopes = key && first.get(key);
    return pretending(isBack ? key : undefined, scopes ? { scopes } : {}, () => perform(world, call));
  };
}
