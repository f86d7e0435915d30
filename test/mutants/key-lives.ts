import type { ClauseId } from "../../src/contract/types.js";
import type { IncomingCall } from "../../src/service/call.js";
import type { Key, Workspace, World } from "../../src/service/world/world.js";
import { type Around, bodyOf, keyOf, type Mutant, onRoute, param, pretending, withBody, withError } from "./mutant.js";

const create = "POST /api/keys";
const patch = "PATCH /api/keys/{key_id}";
const minute = 60_000;

type Body = Record<string, unknown>;

/** Faults in what becomes of keys: of one made in a certain way, of one whose workspace was suspended, of one that a change was refused. */
export const keyLifeMutants: Mutant[] = [
  ...(["requests_per_minute", "dollars_per_hour", "expires_at", "allowed_cidrs"] as const).flatMap((term): Mutant[] => [
    {
      name: `lets a key with ${term} in to a suspended workspace`,
      breaks: "WORKSPACE-SUSPEND-401",
      around(world, call, perform) {
        const key = keyOf(world, call);
        const others = ["requests_per_minute", "dollars_per_hour", "allowed_cidrs"] as const;
        const isMeant = key && key[term] !== null && others.every((other) => other === term || key[other] === null);
        return pretending(isMeant ? world.workspaces[key.workspace] : undefined, { state: "active" }, () => perform(world, call));
      },
    },
    {
      name: `lets a revoked key with ${term} in`,
      breaks: "KEY-STATE-REVOKED",
      around(world, call, perform) {
        const key = keyOf(world, call);
        return pretending(key?.[term] ? key : undefined, { revoked_at: null }, () => perform(world, call));
      },
    },
  ]),
  reactivated("brings back keys that were revoked during a suspension", "KEY-STATE-REVOKED", (key, since) => {
    if (key.revoked_at !== null && key.revoked_at >= since) key.revoked_at = null;
  }),
  reactivated("adds the time of a suspension to the lives of keys", "KEY-EXPIRY-401", (key, since, now) => {
    if (key.expires_at !== null && key.expires_at >= since) key.expires_at += now - since;
  }),
  reactivated("makes every workspace active with one", "WORKSPACE-SUSPEND-401", ({ workspace }, _since, _now, world) => {
    for (const other of Object.values(world.workspaces)) if (other.id !== workspace) other.state = "active";
  }),
  reactivated("gives back the ceilings that were lowered before a suspension", "WORKSPACE-REACTIVATE", (key) => {
    if (ceilings.has(key)) key.requests_per_minute = ceilings.get(key)!;
  }),
  {
    name: "does not say that a workspace is suspended where something is sent",
    breaks: "WORKSPACE-SUSPEND-MESSAGE",
    around(world, call, perform) {
      const reply = perform(world, call);
      const isMeant = reply.rule.code === "workspace_suspended" && call.body.kind === "json";
      return isMeant ? withError(reply, { message: "This key is not valid." }) : reply;
    },
  },
  patching("raises the requests of a key whose dollars are lowered", "KEY-PATCH-RAISE", (key, sent) => {
    const [rate, dollars] = [Number(sent.requests_per_minute), Number(sent.dollars_per_hour)];
    if (rate > Number(key.requests_per_minute) && dollars <= Number(key.dollars_per_hour)) key.requests_per_minute = rate;
    return sent;
  }),
  patching("raises dollars by a few cents", "KEY-PATCH-RAISE", (key, sent) => {
    const [was, dollars] = [Number(key.dollars_per_hour), Number(sent.dollars_per_hour)];
    if (dollars > was && dollars - was < 0.05) key.dollars_per_hour = dollars;
    return sent;
  }),
  patching("lowers the dollars of a key though the change is refused", "KEY-PATCH-UNCHANGED", (key, sent) => {
    const dollars = Number(sent.dollars_per_hour);
    if (dollars < Number(key.dollars_per_hour)) key.dollars_per_hour = dollars;
    return sent;
  }),
  patching("lowers the requests of a key though its scopes are refused", "KEY-PATCH-UNCHANGED", (key, sent) => {
    const rate = Number(sent.requests_per_minute);
    if ("scopes" in sent && rate < Number(key.requests_per_minute)) key.requests_per_minute = rate;
    return sent;
  }),
  patching("gives other scopes for as many", "SCOPE-NARROW", (key, { scopes, ...rest }) => {
    if (!Array.isArray(scopes) || scopes.length > key.scopes.length) return { scopes, ...rest };
    key.scopes = scopes;
    return { scopes, ...rest };
  }),
  patching("takes no scopes for no change of them", "SCOPE-REFUSED", (key, sent) =>
    Array.isArray(sent.scopes) && sent.scopes.length === 0 ? { ...sent, scopes: key.scopes } : sent,
  ),
  {
    name: "lets a key without scopes do everything",
    breaks: "SCOPE-REFUSED",
    around(world, call, perform) {
      const key = keyOf(world, call);
      const full = Object.values(world.keys)[0]?.scopes ?? [];
      return pretending(key?.scopes.length === 0 ? key : undefined, { scopes: full }, () => perform(world, call));
    },
  },
  notCounting("makes room for two keys by the end of one", "KEY-LIVE-CAP", (keys) => {
    const made = keys.filter(({ name }) => name.startsWith("examiner"));
    const gone = made.filter(({ revoked_at }) => revoked_at !== null);
    return made.filter(({ revoked_at }) => revoked_at === null).slice(0, gone.length);
  }),
  notCounting("counts no key among the live ones that ends today", "KEY-LIVE-CAP", (keys, { now }) =>
    keys.filter(({ expires_at }) => expires_at !== null && expires_at < now + 24 * 60 * minute),
  ),
  {
    name: "makes a key that ended ten minutes ago",
    breaks: "KEY-FIELD-EXPIRES-PAST",
    around: onRoute(create, (world, call, perform) => {
      const end = Date.parse(String(bodyOf(call).expires_at));
      const isMeant = end <= world.now && end > world.now - 10 * minute;
      return perform(world, isMeant ? withBody(call, { expires_at: undefined }) : call);
    }),
  },
];

/** The requests a minute that a key had before it was changed. */
const ceilings = new WeakMap<Key, number | null>();

/** Does something to the keys of a workspace that was seen suspended and is active again. */
function reactivated(
  name: string,
  breaks: ClauseId,
  change: (key: Key, since: number, now: number, world: World) => void,
): Mutant {
  const suspended = new WeakMap<Workspace, number>();
  return {
    name,
    breaks,
    around(world, call, perform) {
      noteCeiling(world, call);
      for (const workspace of Object.values(world.workspaces)) {
        const since = suspended.get(workspace);
        if (workspace.state === "suspended") {
          suspended.set(workspace, workspace.suspended_at ?? 0);
        } else if (since !== undefined) {
          suspended.delete(workspace);
          for (const key of Object.values(world.keys)) if (key.workspace === workspace.id) change(key, since, world.now, world);
        }
      }
      return perform(world, call);
    },
  };
}

function noteCeiling(world: World, call: IncomingCall): void {
  const key = world.keys[param(call, "key_id")];
  if (key && !ceilings.has(key)) ceilings.set(key, key.requests_per_minute);
}

/** Does something to a key that is to be changed, and has it changed otherwise than was sent. */
function patching(name: string, breaks: ClauseId, instead: (key: Key, sent: Body) => Body): Mutant {
  const around: Around = (world, call, perform) => {
    const key = world.keys[param(call, "key_id")];
    if (!key || call.body.kind !== "json" || call.cookie === undefined) return perform(world, call);
    return perform(world, { ...call, body: { kind: "json", value: instead(key, bodyOf(call)) } });
  };
  return { name, breaks, around: onRoute(patch, around) };
}

/** Leaves some keys out of the count of live ones. */
function notCounting(name: string, breaks: ClauseId, which: (keys: Key[], world: World) => Key[]): Mutant {
  const around: Around = (world, call, perform) => {
    const left = which(Object.values(world.keys), world).filter(({ revoked_at }) => revoked_at === null);
    for (const key of left) key.revoked_at = world.now;
    const reply = perform(world, call);
    for (const key of left) key.revoked_at = null;
    return reply;
  };
  return { name, breaks, around: onRoute(create, around) };
}
