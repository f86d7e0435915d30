import type { IncomingCall } from "../../src/service/call.js";
import type { Key, World } from "../../src/service/world/world.js";
import { each } from "./family.js";
import { type Around, bodyOf, keyOf, type Mutant, onRoute, param, pretending, type Shown } from "./mutant.js";

const create = "POST /api/keys";
const patch = "PATCH /api/keys/{key_id}";
const remove = "DELETE /api/repos/{owner}/{repo}/{branch}";

const ranges: Record<string, (range: string) => boolean> = {
  "IPv4 range": (range) => range.includes("/") && !range.includes(":"),
  "IPv4 host": (range) => !range.includes("/") && !range.includes(":"),
  "IPv6 range": (range) => range.includes("/") && range.includes(":"),
  "IPv6 host": (range) => !range.includes("/") && range.includes(":"),
};

const forms: Record<string, RegExp> = { Z: /Z$/, "+hh:mm": /[+-]\d\d:\d\d$/ };

const outOfRange: Record<string, (figure: number) => boolean> = {
  zero: (figure) => figure === 0,
  negative: (figure) => figure < 0,
  fraction: (figure) => !Number.isInteger(figure),
};

type Ceiling = "requests_per_minute" | "dollars_per_hour";

/** Faults in one field of a new key, one way to write it, or one ceiling that is changed later. */
export const keyTermMutants: Mutant[] = [
  ...each("KEY-FIELD-OPTIONAL", "key field", "wants * where a key is made with none of the four", (field) =>
    creating((body) => (fieldsIn(body) === 0 ? { ...body, [field]: "none" } : body)),
  ),
  ...each("KEY-FIELD-OPTIONAL", "key field", "takes no * beside the three others", (field) =>
    creating((body) => (fieldsIn(body) === 4 ? { ...body, [field]: "none" } : body)),
  ),
  ...each("KEY-FIELD-OPTIONAL", "key field", "forgets * beside the three others", (field) =>
    creating(({ [field]: value, ...body }) =>
      fieldsIn(body) === 3 ? body : { ...body, ...(value !== undefined && { [field]: value }) },
    ),
  ),
  ...each("KEY-LIVE-CAP", "key field", "counts no key with *", (field) =>
    onRoute(create, (world, call, perform) => {
      const left = Object.values(world.keys).filter((key) => key.revoked_at === null && key[field as keyof Key] !== null);
      for (const key of left) key.revoked_at = world.now;
      const reply = perform(world, call);
      for (const key of left) key.revoked_at = null;
      return reply;
    }),
  ),
  ...each("KEY-FIELD-RPM-INVALID", "number out of range", "makes a key of so many requests: *", (what) =>
    creating(taking("requests_per_minute", what)),
  ),
  ...each("KEY-FIELD-DOLLARS-INVALID", "amount out of range", "makes a key of so many dollars: *", (what) =>
    creating(taking("dollars_per_hour", what)),
  ),
  ...each("KEY-FIELD-EXPIRES", "timestamp form", "makes no key with an end written with *", (form) =>
    creating((body) => (forms[form]?.test(String(body.expires_at)) ? { ...body, expires_at: "soon" } : body)),
  ),
  ...each("KEY-FIELD-EXPIRES", "timestamp form", "makes a key without the end that is written with *", (form) =>
    creating(({ expires_at, ...body }) =>
      forms[form]?.test(String(expires_at)) ? body : { ...body, ...(expires_at !== undefined && { expires_at }) },
    ),
  ),
  ...each("KEY-FIELD-CIDRS", "network form", "takes no network that is an *", (form) =>
    creating((body) => fenced(body, (range) => (ranges[form]?.(range) ? "nowhere" : range))),
  ),
  ...each("KEY-CEILING-OMITTED", "ceiling", "holds a key without * to a low one", (field) => (world, call, perform) => {
    const low = field === "dollars_per_hour" ? 0.5 : 100;
    const key = keyOf(world, call);
    return pretending(key, { [field]: key?.[field as Ceiling] ?? low }, () => perform(world, call));
  }),
  ...each("KEY-CEILING-TIGHTEN", "ceiling", "takes a high * for more than the workspace has", () => (world, call, perform) => {
    const key = keyOf(world, call);
    if (key?.requests_per_minute && key.requests_per_minute > 3000) delete world.rates[key.id];
    return perform(world, call);
  }),
  ...each("KEY-PATCH-SET", "ceiling", "forgets * that is set where there was none", (field) =>
    patched((before, { status }, key) => (status === 200 && before[field as Ceiling] === null ? clear(key, field) : undefined)),
  ),
  ...each("KEY-PATCH-LOWER", "ceiling", "says that * is lower and keeps it", (field) =>
    patched((before, { status }, key) => {
      if (status === 200 && before[field as Ceiling] !== null) Object.assign(key, { [field]: before[field as Ceiling] });
    }),
  ),
  ...each("KEY-PATCH-LOWER", "ceiling", "refuses to lower *", (field) =>
    patching((body, key) => {
      const now = key[field as Ceiling];
      return typeof body[field] === "number" && now !== null && (body[field] as number) < now ? { ...body, [field]: null } : body;
    }),
  ),
  ...each("KEY-PATCH-RAISE", "ceiling", "raises * by PATCH", (field) =>
    patching((body, key) => {
      if (typeof body[field] === "number") clear(key, field);
      return body;
    }),
  ),
  ...each("KEY-PATCH-CLEAR", "ceiling", "takes a null of * for no change", (field) =>
    patching(({ [field]: value, ...body }) => (value === null || value === undefined ? body : { ...body, [field]: value })),
  ),
  ...each("KEY-PATCH-CLEAR", "ceiling", "clears * by PATCH", (field) =>
    patching(({ [field]: value, ...body }, key) => {
      if (value !== null) return { ...body, ...(value !== undefined && { [field]: value }) };
      clear(key, field);
      return body;
    }),
  ),
  ...each("KEY-PATCH-UNCHANGED", "ceiling", "refuses to change * and changes it", (field) =>
    patched((_before, { status, body }, key) => {
      if (status === 400 && body[field] !== undefined) Object.assign(key, { [field]: body[field] });
    }),
  ),
  ...each("KEY-PATCH-ADMIN", "manager", "lets no * edit keys", (role) => demoting(patch, role)),
  ...each("REPO-DELETE-ADMIN", "manager", "lets no signed-in * remove a repository", (role) => demoting(remove, role)),
  { name: "lets no admin create keys", breaks: "KEY-CREATE-ADMIN", around: demoting(create, "admin") },
  { name: "lets no owner create keys", breaks: "KEY-CREATE-OWNER", around: demoting(create, "owner") },
];

function fieldsIn(body: Shown): number {
  return ["requests_per_minute", "dollars_per_hour", "expires_at", "allowed_cidrs"].filter((field) => field in body).length;
}

/** Takes a figure that is out of range for none. */
function taking(field: Ceiling, what: string): (body: Shown) => Shown {
  return ({ [field]: figure, ...body }) => {
    if (typeof figure === "number" && outOfRange[what]?.(figure))
      return what === "fraction" ? { ...body, [field]: Math.floor(figure) } : body;
    return figure === undefined ? body : { ...body, [field]: figure };
  };
}

/** Reads the body of a new key otherwise. */
export function creating(read: (body: Shown, now: number) => Shown): Around {
  return onRoute(create, (world, call, perform) =>
    perform(world, call.body.kind === "json" ? { ...call, body: { kind: "json", value: read(bodyOf(call), world.now) } } : call),
  );
}

/** The body of a new key with its networks written otherwise. */
export function fenced(body: Shown, read: (range: string) => string): Shown {
  return Array.isArray(body.allowed_cidrs)
    ? { ...body, allowed_cidrs: body.allowed_cidrs.map((range) => read(String(range))) }
    : body;
}

/** Reads a PATCH otherwise, or changes its key before. */
export function patching(read: (body: Shown, key: Key) => Shown): Around {
  return onRoute(patch, (world, call, perform) => {
    const key = world.keys[param(call, "key_id")];
    if (!key || call.body.kind !== "json") return perform(world, call);
    return perform(world, { ...call, body: { kind: "json", value: read(bodyOf(call), key) } });
  });
}

/** Changes a key behind the back of a PATCH that has been answered. */
export function patched(change: (before: Key, done: { status: number; body: Shown }, key: Key) => void): Around {
  return onRoute(patch, (world, call, perform) => {
    const key = world.keys[param(call, "key_id")];
    const before = key && { ...key };
    const reply = perform(world, call);
    if (key && before) change(before, { status: reply.status, body: bodyOf(call) }, key);
    return reply;
  });
}

function clear(key: Key, field: string): void {
  Object.assign(key, { [field]: null });
}

/** Takes a signed-in person of one role for a member. */
function demoting(route: string, role: string): Around {
  return onRoute(route, (world, call, perform) =>
    pretending(sessionOf(world, call, role), { role: "member" }, () => perform(world, call)),
  );
}

function sessionOf(world: World, call: IncomingCall, role: string) {
  return Object.values(world.sessions).find((session) => session.token === call.cookie && session.role === role);
}
