import type { ClauseId } from "../../src/contract/types.js";
import type { Key } from "../../src/service/world/world.js";
import { type Around, bodyOf, keyOf, type Mutant, onRoute, param } from "./mutant.js";
import { asksFor, taking } from "./posing.js";
import type { AroundWire, Asked } from "./wire.js";

const create = "POST /api/keys";
const patch = "PATCH /api/keys/{key_id}";

type Body = Record<string, unknown>;

/** Faults of one ceiling, form or credential of a key alone, where the clause speaks of every one. */
export const everyKeyMutants: Mutant[] = [
  ...(["requests_per_minute", "dollars_per_hour"] as const).flatMap((ceiling) => [
    afterwards(`takes ${ceiling} by PATCH and holds no key to it`, "KEY-PATCH-SET", (key, sent, before) => {
      if (ceiling in sent && before[ceiling] === null) key[ceiling] = null;
    }),
    afterwards(`refuses to raise ${ceiling} and raises it`, "KEY-PATCH-UNCHANGED", (key, sent) => {
      if (typeof sent[ceiling] === "number" && sent[ceiling] > Number(key[ceiling])) key[ceiling] = sent[ceiling];
    }),
    afterwards(`refuses to clear ${ceiling} and clears it`, "KEY-PATCH-UNCHANGED", (key, sent) => {
      if (sent[ceiling] === null) key[ceiling] = null;
    }),
  ]),
  making("holds a key without dollars an hour to a cent", "KEY-CEILING-OMITTED", (body) =>
    "dollars_per_hour" in body ? body : { ...body, dollars_per_hour: 0.01 },
  ),
  ...[/^[\d.]+\/\d+$/, /^[\d.]+$/, /^[\da-f:]+\/\d+$/, /^[\da-f:]+$/].flatMap((form) => [
    making(`takes no network like ${form.source}`, "KEY-FIELD-CIDRS", ({ allowed_cidrs, ...body }) => ({
      ...body,
      ...(Array.isArray(allowed_cidrs) && { allowed_cidrs: allowed_cidrs.map((one) => (form.test(one) ? "none" : one)) }),
    })),
    making(`makes no fence of a network like ${form.source}`, "KEY-FIELD-CIDRS", ({ allowed_cidrs, ...body }) => {
      const left = Array.isArray(allowed_cidrs) ? allowed_cidrs.filter((one) => !form.test(one)) : [];
      return left.length > 0 ? { ...body, allowed_cidrs: left } : body;
    }),
  ]),
  making("takes no expiry with an offset of hours", "KEY-FIELD-EXPIRES", (body) =>
    /[+]\d\d:\d\d$/.test(String(body.expires_at)) ? { ...body, expires_at: "never" } : body,
  ),
  afterwards("has a key end sooner", "KEY-EXPIRY-IMMUTABLE", (key, { expires_at }) => {
    const sooner = Date.parse(String(expires_at));
    if (sooner < (key.expires_at ?? Number.POSITIVE_INFINITY)) key.expires_at = sooner;
  }),
  afterwards("takes the end from a key", "KEY-EXPIRY-IMMUTABLE", (key, { expires_at }) => {
    if (expires_at === null) key.expires_at = null;
  }),
  afterwards("fences a key afterwards", "KEY-FENCE-IMMUTABLE", (key, { allowed_cidrs }) => {
    if (!key.allowed_cidrs && Array.isArray(allowed_cidrs)) key.allowed_cidrs = allowed_cidrs;
  }),
  afterwards("takes the fence from a key", "KEY-FENCE-IMMUTABLE", (key, sent) => {
    if ("allowed_cidrs" in sent && (sent.allowed_cidrs as string[] | null)?.length !== 2) key.allowed_cidrs = null;
  }),
  ...["x-forwarded-for", "x-real-ip", "x-client-ip", "true-client-ip", "forwarded"].flatMap((header) =>
    [/^\/api\//, /^\/mcp\//].map((place): Mutant => {
      const isClaimed = ({ headers, path }: Asked) => place.test(path) && String(headers[header]).includes("203.0.113.9");
      return {
        name: `believes ${header} at ${place.source}`,
        breaks: "KEY-FENCE-CLOSED",
        aroundWire: taking("fenced", isClaimed),
      };
    }),
  ),
  {
    name: "counts the requests of a key route by route",
    breaks: "KEY-FIELD-RPM",
    around: counting(({ target }) => JSON.stringify(target)),
  },
  {
    name: "counts the calls of a key tool by tool",
    breaks: "MCP-RATE-KEY",
    aroundWire: spreading({ list_jobs: "no_fix", list_repositories: "full", forecast: "triage" }),
  },
  { name: "refuses a Free key to REST", breaks: "PLAN-KEYS-BOTH", aroundWire: refusing("free", /^\/api\//) },
  { name: "refuses a Free key to the tools", breaks: "PLAN-KEYS-BOTH", aroundWire: refusing("free", /^\/mcp\//) },
  { name: "refuses a Paid key to the tools", breaks: "PLAN-KEYS-BOTH", aroundWire: refusing("full", /^\/mcp\//) },
];

/** A server that makes other keys than it is asked for. */
function making(name: string, breaks: ClauseId, asked: (body: Body) => Body): Mutant {
  const around: Around = (world, call, perform) => {
    const { kind } = call.body;
    return perform(world, kind === "json" ? { ...call, body: { kind, value: asked(bodyOf(call)) } } : call);
  };
  return { name, breaks, around: onRoute(create, around) };
}

/** A server that leaves a key otherwise than a PATCH should. */
function afterwards(name: string, breaks: ClauseId, change: (key: Key, sent: Body, before: Key) => void): Mutant {
  const around: Around = (world, call, perform) => {
    const key = world.keys[param(call, "key_id")];
    const before = { ...key } as Key;
    const reply = perform(world, call);
    if (key) change(key, bodyOf(call), before);
    return reply;
  };
  return { name, breaks, around: onRoute(patch, around) };
}

/** A server that holds a key to its ceiling for each of some things by itself. */
function counting(thingOf: (call: Parameters<Around>[1]) => string): Around {
  const used = new Map<string, number>();
  return (world, call, perform) => {
    const key = keyOf(world, call);
    if (!key?.requests_per_minute) return perform(world, call);
    const thing = `${key.id} ${thingOf(call)}`;
    used.set(thing, (used.get(thing) ?? 0) + 1);
    if (Number(used.get(thing)) <= key.requests_per_minute) delete world.rates[key.id];
    return perform(world, call);
  };
}

/** A server whose tools are asked with a key each, as if each had a rate of its own. */
function spreading(holders: Readonly<Record<string, string>>): AroundWire {
  return (asked, send) => {
    const holder = Object.entries(holders).find(([tool]) => asksFor({ tool: tool as "forecast" })(asked))?.[1];
    const authorization = String(asked.headers.authorization).replace(/_viewer$/, `_${holder ?? "viewer"}`);
    return send({ ...asked, headers: { ...asked.headers, authorization } });
  };
}

/** A server that refuses the key of a role somewhere. */
function refusing(who: string, there: RegExp): AroundWire {
  return (asked, send) => {
    const authorization = String(asked.headers.authorization).replace(new RegExp(`_${who}$`), "_nobody");
    return send(there.test(asked.path) ? { ...asked, headers: { ...asked.headers, authorization } } : asked);
  };
}
