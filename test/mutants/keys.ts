import type { Key } from "../../src/service/world/world.js";
import {
  type Around,
  bodyOf,
  keyOf,
  type Mutant,
  param,
  pretending,
  routeOf,
  sessionOf,
  withAnswer,
  withBody,
} from "./mutant.js";

const create = "POST /api/keys";
const patch = "PATCH /api/keys/{key_id}";

/** Faults in making and changing keys. */
export const keyMutants: Mutant[] = [
  {
    name: "lets a member create keys",
    breaks: "KEY-CREATE-MEMBER",
    around: (world, call, perform) => pretending(sessionOf(world, call), { role: "admin" }, () => perform(world, call)),
  },
  { name: "lets a key create keys", breaks: "KEY-MANAGE-CREATE", around: signedIn(create) },
  { name: "lets a key edit keys", breaks: "KEY-MANAGE-PATCH", around: signedIn(patch) },
  {
    name: "answers a new key without its end",
    breaks: "KEY-CREATE-VALUE",
    around(world, call, perform) {
      const reply = perform(world, call);
      const { key } = (reply.body ?? {}) as { key?: string };
      return routeOf(call) === create && key ? withAnswer(reply, { key: `${key.slice(0, -4)}****` }) : reply;
    },
  },
  {
    name: "shows the value of a key when it is edited",
    breaks: "KEY-CREATE-ONCE",
    around(world, call, perform) {
      const reply = perform(world, call);
      return routeOf(call) === patch && reply.status === 200
        ? withAnswer(reply, { key: world.keys[param(call, "key_id")]?.token })
        : reply;
    },
  },
  {
    name: "makes a 26th live key",
    breaks: "KEY-LIVE-CAP",
    around(world, call, perform) {
      const one = Object.values(world.keys).find(({ revoked_at, expires_at }) => revoked_at === null && expires_at === null);
      return pretending(routeOf(call) === create ? one : undefined, { revoked_at: world.now }, () => perform(world, call));
    },
  },
  {
    name: "makes keys without end",
    breaks: "KEY-LIVE-REFUSED",
    around(world, call, perform) {
      const reply = perform(world, call);
      return reply.rule.code === "key_limit_reached" ? { ...reply, status: 201, body: { key_id: "key_more" } } : reply;
    },
  },
  {
    name: "makes a key that expired an hour ago",
    breaks: "KEY-FIELD-EXPIRES-PAST",
    around: creating(({ expires_at, ...body }, now) => (Date.parse(String(expires_at)) < now ? body : { ...body, expires_at })),
  },
  {
    name: "takes a network of 99 bits",
    breaks: "KEY-FIELD-CIDRS-INVALID",
    around: fencing((range) => range.replace("/99", "/24")),
  },
  {
    name: "does not hold a key to its spend ceiling",
    breaks: "KEY-FIELD-DOLLARS",
    around: (world, call, perform) => pretending(keyOf(world, call), { dollars_per_hour: null }, () => perform(world, call)),
  },
  {
    name: "puts off the end of a key",
    breaks: "KEY-EXPIRY-IMMUTABLE",
    around: patched(400, (key, { expires_at }) => {
      if (expires_at) key.expires_at = Date.parse(String(expires_at));
    }),
  },
  {
    name: "opens the fence of a key",
    breaks: "KEY-FENCE-IMMUTABLE",
    around: patched(400, (key, { allowed_cidrs }) => {
      if (allowed_cidrs) key.allowed_cidrs = allowed_cidrs as string[];
    }),
  },
  {
    name: "answers 403 for a key that does not exist",
    breaks: "KEY-PATCH-UNKNOWN",
    around(world, call, perform) {
      const reply = perform(world, call);
      return routeOf(call) === patch && reply.status === 404 ? { ...reply, status: 403 } : reply;
    },
  },
];

/** Takes any key for a signed-in admin on one route. */
function signedIn(route: string): Around {
  return (world, call, perform) => {
    const admin = Object.values(world.sessions).find(({ role }) => role === "admin");
    const isKey = routeOf(call) === route && call.authorization !== undefined;
    return perform(world, isKey ? { ...call, authorization: undefined, cookie: admin?.token } : call);
  };
}

/** Reads the body of a new key otherwise. */
function creating(read: (body: Record<string, unknown>, now: number) => Record<string, unknown>): Around {
  return (world, call, perform) => {
    if (routeOf(call) !== create) return perform(world, call);
    return perform(world, { ...call, body: { kind: "json", value: read(bodyOf(call), world.now) } });
  };
}

function fencing(read: (range: string) => string): Around {
  return (world, call, perform) => {
    const { allowed_cidrs } = bodyOf(call) as { allowed_cidrs?: string[] };
    return perform(
      world,
      routeOf(call) === create && allowed_cidrs ? withBody(call, { allowed_cidrs: allowed_cidrs.map(read) }) : call,
    );
  };
}

/** Changes a key behind the back of a PATCH that has been answered with a status. */
function patched(status: number, change: (key: Key, body: Record<string, unknown>) => void): Around {
  return (world, call, perform) => {
    const reply = perform(world, call);
    const key = world.keys[param(call, "key_id")];
    if (routeOf(call) === patch && reply.status === status && key) change(key, bodyOf(call));
    return reply;
  };
}
