import type { ClauseId } from "../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../src/service/call.js";
import type { Key, World } from "../../src/service/world/world.js";
import { type Around, bodyOf, keyOf, type Mutant, onRoute, param, pretending, withBody, withError } from "./mutant.js";

const create = "POST /api/keys";
const patch = "PATCH /api/keys/{key_id}";

/** Faults in what a change of a key does beside what it is for, and in who may make and change one. */
export const changedKeyMutants: Mutant[] = [
  ...(
    [
      ["KEY-EXPIRY-IMMUTABLE", "expires_at"],
      ["KEY-FENCE-IMMUTABLE", "allowed_cidrs"],
      ["KEY-FIELD-RPM", "requests_per_minute"],
      ["KEY-FIELD-DOLLARS", "dollars_per_hour"],
    ] as const
  ).flatMap(([breaks, term]) =>
    (["scopes", "requests_per_minute", "dollars_per_hour"] as const)
      .filter((changed) => changed !== term)
      .map((changed) =>
        changing(`takes ${term} from a key whose ${changed} change`, breaks, (key, sent) => {
          if (changed in sent && !(term in sent)) Object.assign(key, { [term]: null });
        }),
      ),
  ),
  changing("gives a key its first scopes back when its ceilings change", "SCOPE-NARROW", (key, sent, _, first) => {
    if (!("scopes" in sent)) key.scopes = first;
  }),
  {
    name: "lets a key have the scopes again that it was made with",
    breaks: "SCOPE-NARROW",
    around: onRoute(patch, (world, call, perform) => {
      const key = world.keys[param(call, "key_id")];
      return key ? pretending(key, { scopes: firstScopesOf(world, key) }, () => perform(world, call)) : perform(world, call);
    }),
  },
  changing("gives a changed key a new minute", "LIMIT-EFFECTIVE-KEY", (key, _, world) => {
    delete world.rates[key.id];
  }),
  changing("changes the ceilings of every key of one name", "KEY-CEILING-OMITTED", (key, _, world) => {
    const { requests_per_minute } = key;
    for (const other of namesakesOf(world, key)) Object.assign(other, { requests_per_minute });
  }),
  changing("changes the scopes of every key of one name", "KEY-PATCH-SCOPES", (key, sent, world) => {
    if ("scopes" in sent) for (const other of namesakesOf(world, key)) other.scopes = key.scopes;
  }),
  {
    name: "has a key edited by who made it alone",
    breaks: "KEY-PATCH-ADMIN",
    around(world, call, perform) {
      const maker = makers.get(world.keys[param(call, "key_id")] as Key);
      const isOther = maker !== undefined && maker !== call.cookie;
      return isOther ? perform(world, { ...call, cookie: "nobody" }) : noting(world, call, perform);
    },
  },
  {
    name: "counts twenty-five live keys for each who makes them",
    breaks: "KEY-LIVE-REFUSED",
    around: onRoute(create, (world, call, perform) => {
      const others = Object.values(world.keys).filter((key) => ![undefined, call.cookie].includes(makers.get(key)));
      const live = others.filter((key) => key.revoked_at === null);
      for (const key of live) key.revoked_at = world.now;
      const reply = noting(world, call, perform);
      for (const key of live) key.revoked_at = null;
      return reply;
    }),
  },
  ...(
    [
      ["KEY-PATCH-RAISE", "requests_per_minute", (was, figure) => Number(figure) > Number(was)],
      ["KEY-PATCH-RAISE", "dollars_per_hour", (was, figure) => Number(figure) > Number(was)],
      ["KEY-PATCH-CLEAR", "requests_per_minute", (_, figure) => figure === null],
      ["KEY-PATCH-CLEAR", "dollars_per_hour", (_, figure) => figure === null],
    ] satisfies [ClauseId, keyof Key, (was: unknown, figure: unknown) => boolean][]
  ).map(([breaks, ceiling, isMeant]) =>
    asOwner(`lets the owner do to ${ceiling} what ${breaks} forbids`, breaks, (key, sent) => {
      if (!isMeant(key[ceiling], sent[ceiling])) return false;
      Object.assign(key, { [ceiling]: sent[ceiling] });
      return true;
    }),
  ),
  {
    name: "takes a ceiling of nothing for none",
    breaks: "KEY-PATCH-UNCHANGED",
    value: { surface: "rest", dimension: "ceiling", value: "requests_per_minute" },
    around: onRoute(patch, (world, call, perform) => {
      const key = world.keys[param(call, "key_id")];
      if (!key || bodyOf(call).requests_per_minute !== 0) return perform(world, call);
      key.requests_per_minute = null;
      return perform(world, withBody(call, { requests_per_minute: undefined }));
    }),
  },
  changing("brings a revoked key back when it is changed", "KEY-STATE-REVOKED", (key) => {
    key.revoked_at = null;
  }),
  changing("gives an expired key that is changed another life", "KEY-EXPIRY-401", (key, _, world) => {
    if (key.expires_at !== null && key.expires_at <= world.now) key.expires_at = world.now + 86_400_000;
  }),
  asOwner("lets the owner put off the end of a key", "KEY-EXPIRY-IMMUTABLE", (key, { expires_at }) => {
    if (typeof expires_at === "string") key.expires_at = Date.parse(expires_at);
    return typeof expires_at === "string";
  }),
  asOwner("lets the owner take a fence away", "KEY-FENCE-IMMUTABLE", (key, sent) => {
    if ("allowed_cidrs" in sent) key.allowed_cidrs = null;
    return "allowed_cidrs" in sent;
  }),
  asOwner("lets the owner widen a key", "SCOPE-NARROW", (key, { scopes }) => {
    if (Array.isArray(scopes)) key.scopes = scopes;
    return Array.isArray(scopes);
  }),
  making("makes no key of less than a dollar an hour", "KEY-FIELD-DOLLARS", (body) =>
    Number(body.dollars_per_hour) < 1 ? { ...body, dollars_per_hour: 0 } : body,
  ),
  making("takes an end in the past for one to come by its offset", "KEY-FIELD-EXPIRES-PAST", (body, world) => {
    const plain = Date.parse(String(body.expires_at).replace(/[+-]\d\d:\d\d$/, "Z"));
    const isPast = Date.parse(String(body.expires_at)) <= world.now;
    return isPast && plain > world.now ? { ...body, expires_at: new Date(plain).toISOString() } : body;
  }),
  {
    name: "looks at the first network of a fence alone",
    breaks: "KEY-FENCE-INSIDE",
    around(world, call, perform) {
      const key = keyOf(world, call);
      const fence = key?.allowed_cidrs?.slice(0, 1) ?? null;
      return pretending(key, { allowed_cidrs: fence }, () => perform(world, call));
    },
  },
  {
    name: "takes a key with more behind it",
    breaks: "AUTH-MALFORMED",
    around(world, call, perform) {
      const key = Object.values(world.keys).find(({ token }) => call.authorization?.startsWith(`Bearer ${token}`));
      return perform(world, key ? { ...call, authorization: `Bearer ${key.token}` } : call);
    },
  },
  {
    name: "tells a key that is not live what the document costs",
    breaks: "DOCS-GATE-UNAUTH",
    around: onRoute("GET /api/openapi.json", (world, call, perform) => {
      const reply = perform(world, call);
      const isKnown = reply.status === 401 && keyOf(world, call) !== undefined;
      return isKnown ? { ...withError(reply, { type: "billing_error", code: "plan_restricted" }), status: 402 } : reply;
    }),
  },
];

/** Who made a key, by the cookie. */
const makers = new WeakMap<Key, string>();
const firstScopes = new WeakMap<World, Map<string, Key["scopes"]>>();

type Body = Record<string, unknown>;

/** Keeps in mind who makes a key. */
function noting(world: World, call: IncomingCall, perform: Parameters<Around>[2]): Reply {
  const before = new Set(Object.keys(world.keys));
  const reply = perform(world, call);
  for (const key of Object.values(world.keys)) if (!before.has(key.id) && call.cookie) makers.set(key, call.cookie);
  return reply;
}

/** The scopes that a key had when it was first changed. */
function firstScopesOf(world: World, key: Key): Key["scopes"] {
  const known = firstScopes.get(world) ?? new Map<string, Key["scopes"]>();
  firstScopes.set(world, known);
  if (!known.has(key.id)) known.set(key.id, key.scopes);
  return known.get(key.id) as Key["scopes"];
}

function namesakesOf(world: World, { id, name, workspace }: Key): Key[] {
  return Object.values(world.keys).filter((other) => other.id !== id && other.name === name && other.workspace === workspace);
}

/** Does more to a key than the change that it takes. */
function changing(
  name: string,
  breaks: ClauseId,
  more: (key: Key, sent: Body, world: World, first: Key["scopes"]) => void,
): Mutant {
  return {
    name,
    breaks,
    around: onRoute(patch, (world, call, perform) => {
      const key = world.keys[param(call, "key_id")];
      const first = key ? firstScopesOf(world, key) : [];
      const reply = perform(world, call);
      if (key && reply.status === 200) more(key, bodyOf(call), world, first);
      return reply;
    }),
  };
}

/** Does to a key what nobody may, where the account owner asks for it. */
function asOwner(name: string, breaks: ClauseId, overrule: (key: Key, sent: Body) => boolean): Mutant {
  return {
    name,
    breaks,
    around: onRoute(patch, (world, call, perform) => {
      const key = world.keys[param(call, "key_id")];
      const isOwner = Object.values(world.sessions).some(({ token, role }) => token === call.cookie && role === "owner");
      const isDone = key !== undefined && isOwner && overrule(key, bodyOf(call));
      return perform(world, isDone ? withBody(call, { ...sameTerms, scopes: key.scopes }) : call);
    }),
  };
}

const sameTerms = {
  requests_per_minute: undefined,
  dollars_per_hour: undefined,
  expires_at: undefined,
  allowed_cidrs: undefined,
};

/** Makes a key of another body than was sent. */
function making(name: string, breaks: ClauseId, instead: (body: Body, world: World) => Body): Mutant {
  const around: Around = (world, call, perform) => perform(world, withBody(call, instead(bodyOf(call), world)));
  return { name, breaks, around: onRoute(create, around) };
}
