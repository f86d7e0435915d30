import { mutantPerValue, wrapTool } from "./family.js";
import { minute } from "./helpers/durations.js";
import { createKeyFromOtherBody } from "./helpers/keys.js";
import { mixesOfLimits } from "./helpers/rates.js";
import { createKeyRoute, submitRoute } from "./helpers/routes.js";
import {
  changeResponses,
  changeShownRows,
  getBody,
  getChangeRows,
  getKey,
  type Mutant,
  param,
  type Shown,
  type WrapCall,
  withBody,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

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

/** Mutants that break a clause of KEY-FIELD-*. */
export const keyFieldsMutants: Mutant[] = [
  ...(["retry_job", "submit_fix", "register_repository"] as const).map(
    (purpose): Mutant => ({
      name: `charges a key nothing for jobs that ${purpose} starts instead of their price`,
      breaks: "KEY-FIELD-DOLLARS",
      ...wrapTool(purpose, (world, call, performTool) => {
        const { id } = call.caller.key;
        const spent = world.spend[id] && { ...world.spend[id] };
        const response = performTool(world, call);
        if (spent) world.spend[id] = spent;
        else delete world.spend[id];
        return response;
      }),
    }),
  ),
  {
    name: "shows the dollars of a new key in whole dollars instead of as they were sent",
    breaks: "KEY-FIELD-DOLLARS",
    around: changeShownRows("POST /api/keys", (key) => ({
      ...key,
      ...(key.dollars_per_hour !== null && { dollars_per_hour: Math.round(Number(key.dollars_per_hour)) }),
    })),
  },
  {
    name: "shows the former rate of a key after a change instead of the new one",
    breaks: "KEY-FIELD-RPM",
    around: wrapRoute("PATCH /api/keys/{key_id}", (world, call, perform) => {
      const { requests_per_minute: former } = world.keys[param(call, "key_id")] ?? {};
      return getChangeRows(perform(world, call), (key) => ({ ...key, requests_per_minute: former }));
    }),
  },
  {
    name: "creates no key with less than a dollar an hour instead of creating it",
    breaks: "KEY-FIELD-DOLLARS",
    around: createKeyFromOtherBody((body) => (Number(body.dollars_per_hour) < 1 ? { ...body, dollars_per_hour: 0 } : body)),
  },
  {
    name: "accepts a past expiry with an offset instead of refusing it",
    breaks: "KEY-FIELD-EXPIRES-PAST",
    around: createKeyFromOtherBody((body, { now }) => {
      const plain = Date.parse(String(body.expires_at).replace(/[+-]\d\d:\d\d$/, "Z"));
      const isPast = Date.parse(String(body.expires_at)) <= now;
      return isPast && plain > now ? { ...body, expires_at: new Date(plain).toISOString() } : body;
    }),
  },
  ...[/^[\d.]+\/\d+$/, /^[\d.]+$/, /^[\da-f:]+\/\d+$/, /^[\da-f:]+$/].flatMap((form): Mutant[] => [
    {
      name: `refuses a network like ${form.source} instead of accepting it`,
      breaks: "KEY-FIELD-CIDRS",
      around: createKeyFromOtherBody((body) => rewriteNetworks(body, (range) => (form.test(range) ? "none" : range))),
    },
    {
      name: `ignores a network like ${form.source} instead of adding it to the fence`,
      breaks: "KEY-FIELD-CIDRS",
      around: createKeyFromOtherBody(({ allowed_cidrs, ...body }) => {
        const left = Array.isArray(allowed_cidrs) ? allowed_cidrs.filter((one) => !form.test(one)) : [];
        return left.length > 0 ? { ...body, allowed_cidrs: left } : body;
      }),
    },
  ]),
  {
    name: "refuses an expiry with an offset of hours instead of accepting it",
    breaks: "KEY-FIELD-EXPIRES",
    around: createKeyFromOtherBody((body) =>
      /[+]\d\d:\d\d$/.test(String(body.expires_at)) ? { ...body, expires_at: "never" } : body,
    ),
  },
  {
    name: "counts the requests of a key route by route instead of together",
    breaks: "KEY-FIELD-RPM",
    around: countSeparately(({ target }) => JSON.stringify(target)),
  },
  {
    name: "creates a key that expired ten minutes ago instead of refusing it",
    breaks: "KEY-FIELD-EXPIRES-PAST",
    around: wrapRoute(createKeyRoute, (world, call, perform) => {
      const end = Date.parse(String(getBody(call).expires_at));
      const isMeant = end <= world.now && end > world.now - 10 * minute;
      return perform(world, isMeant ? withBody(call, { expires_at: undefined }) : call);
    }),
  },
  {
    name: "names the id of a new key differently instead of id",
    breaks: "KEY-FIELD-ID",
    around: changeShownRows(createKeyRoute, ({ key_id, ...key }) => ({ ...key, id: key_id })),
  },
  {
    name: "answers an id of a new key that PATCH does not know instead of its real id",
    breaks: "KEY-FIELD-ID",
    around: changeShownRows(createKeyRoute, (key) => ({ ...key, key_id: `new-${key.key_id}` })),
  },
  {
    name: "ignores the requests per minute of a new key instead of applying them",
    breaks: "KEY-FIELD-RPM",
    around: createKeyFromOtherBody(({ requests_per_minute: _, ...body }) => body),
  },
  {
    name: "refuses a key of one request a minute instead of creating it",
    breaks: "KEY-FIELD-RPM",
    around: createKeyFromOtherBody((body) => (body.requests_per_minute === 1 ? { ...body, requests_per_minute: 0 } : body)),
  },
  {
    name: "refuses a key that expires within a day instead of creating it",
    breaks: "KEY-FIELD-EXPIRES",
    around: createKeyFromOtherBody((body, { now }) =>
      Date.parse(String(body.expires_at)) < now + 86_400_000 ? { ...body, expires_at: "soon" } : body,
    ),
  },
  ...mutantPerValue("KEY-FIELD-OPTIONAL", "key field", "requires * for a new key instead of leaving it optional", (field) =>
    createKeyFromOtherBody((body) => (fieldsIn(body) === 0 ? { ...body, [field]: "none" } : body)),
  ),
  ...mutantPerValue("KEY-FIELD-OPTIONAL", "key field", "refuses * with the three other fields instead of accepting it", (field) =>
    createKeyFromOtherBody((body) => (fieldsIn(body) === 4 ? { ...body, [field]: "none" } : body)),
  ),
  ...mutantPerValue("KEY-FIELD-OPTIONAL", "key field", "forgets * with the three other fields instead of storing it", (field) =>
    createKeyFromOtherBody(({ [field]: value, ...body }) =>
      fieldsIn(body) === 3 ? body : { ...body, ...(value !== undefined && { [field]: value }) },
    ),
  ),
  ...mutantPerValue(
    "KEY-FIELD-RPM-INVALID",
    "number out of range",
    "creates a key with an invalid number of requests (*) instead of refusing it",
    (what) => createKeyFromOtherBody(dropOutOfRange("requests_per_minute", what)),
  ),
  ...mutantPerValue(
    "KEY-FIELD-DOLLARS-INVALID",
    "amount out of range",
    "creates a key with invalid dollars (*) instead of refusing it",
    (what) => createKeyFromOtherBody(dropOutOfRange("dollars_per_hour", what)),
  ),
  ...mutantPerValue("KEY-FIELD-EXPIRES", "timestamp form", "refuses an expiry written with * instead of accepting it", (form) =>
    createKeyFromOtherBody((body) => (forms[form]?.test(String(body.expires_at)) ? { ...body, expires_at: "soon" } : body)),
  ),
  ...mutantPerValue(
    "KEY-FIELD-EXPIRES",
    "timestamp form",
    "creates a key without the expiry that is written with * instead of with it",
    (form) =>
      createKeyFromOtherBody(({ expires_at, ...body }) =>
        forms[form]?.test(String(expires_at)) ? body : { ...body, ...(expires_at !== undefined && { expires_at }) },
      ),
  ),
  ...mutantPerValue("KEY-FIELD-CIDRS", "network form", "refuses a network that is an * instead of accepting it", (form) =>
    createKeyFromOtherBody((body) => rewriteNetworks(body, (range) => (ranges[form]?.(range) ? "nowhere" : range))),
  ),
  {
    name: "creates a key that expired an hour ago instead of refusing it",
    breaks: "KEY-FIELD-EXPIRES-PAST",
    around: createKeyFromOtherBody(({ expires_at, ...body }, { now }) =>
      Date.parse(String(expires_at)) < now ? body : { ...body, expires_at },
    ),
  },
  {
    name: "accepts a network of 99 bits instead of refusing it",
    breaks: "KEY-FIELD-CIDRS-INVALID",
    around: createKeyFromOtherBody((body) => rewriteNetworks(body, (range) => range.replace("/99", "/24"))),
  },
  {
    name: "ignores the spend ceiling of a key instead of applying it",
    breaks: "KEY-FIELD-DOLLARS",
    around: (world, call, perform) =>
      withTemporaryFields(getKey(world, call), { dollars_per_hour: null }, () => perform(world, call)),
  },
  ...mixesOfLimits(
    "KEY-FIELD-RPM",
    "the ceiling of a key that was created since the start",
    "key",
    (world, call) => (getKey(world, call)?.created_at ?? 0) >= world.epoch,
  ),
  {
    name: "charges a key nothing for jobs that a tool starts instead of their price",
    breaks: "KEY-FIELD-DOLLARS",
    ...wrapTool("submit_job", (world, call, performTool) => {
      const { [call.caller.key.id]: before, ...others } = world.spend;
      const spent = before && { ...before };
      const response = performTool(world, call);
      world.spend = { ...world.spend, ...others };
      if (spent) world.spend[call.caller.key.id] = spent;
      else delete world.spend[call.caller.key.id];
      return response;
    }),
  },
  {
    name: "resets the hour of a key that is changed instead of keeping its spending",
    breaks: "KEY-FIELD-DOLLARS",
    around: changeResponses("PATCH /api/keys/{key_id}", (response, world, call) => {
      if (response.status < 300) delete world.spend[param(call, "key_id")];
      return response;
    }),
  },
  {
    name: "adds the spending of keys with the same name together instead of each key alone",
    breaks: "KEY-FIELD-DOLLARS",
    around: wrapRoute(submitRoute, (world, call, perform) => {
      const key = getKey(world, call);
      const alike = Object.values(world.keys).filter(
        ({ id, name }) => key && name === key.name && id !== key.id && world.spend[id],
      );
      const [spent] = alike.flatMap(({ id }) => world.spend[id] ?? []);
      if (key && spent && !world.spend[key.id]) world.spend[key.id] = { ...spent };
      return perform(world, call);
    }),
  },
  {
    name: "applies a key's dollars only in its first hour instead of every hour",
    breaks: "KEY-FIELD-DOLLARS",
    around: wrapRoute(submitRoute, (world, call, perform) => {
      const id = getKey(world, call)?.id ?? "";
      const since = world.spend[id]?.since;
      const response = perform(world, call);
      const window = world.spend[id];
      if (window && since !== undefined) window.since = since;
      return response;
    }),
  },
];

/** A server that applies the ceiling of a key to each of some things separately. */
function countSeparately(thingOf: (call: Parameters<WrapCall>[1]) => string): WrapCall {
  const used = new Map<string, number>();
  return (world, call, perform) => {
    const key = getKey(world, call);
    if (!key?.requests_per_minute) return perform(world, call);
    const thing = `${key.id} ${thingOf(call)}`;
    used.set(thing, (used.get(thing) ?? 0) + 1);
    if (Number(used.get(thing)) <= key.requests_per_minute) delete world.rates[key.id];
    return perform(world, call);
  };
}

function fieldsIn(body: Shown): number {
  return ["requests_per_minute", "dollars_per_hour", "expires_at", "allowed_cidrs"].filter((field) => field in body).length;
}

/** Ignores a number that is out of range. */
function dropOutOfRange(field: Ceiling, what: string): (body: Shown) => Shown {
  return ({ [field]: figure, ...body }) => {
    if (typeof figure === "number" && outOfRange[what]?.(figure))
      return what === "fraction" ? { ...body, [field]: Math.floor(figure) } : body;
    return figure === undefined ? body : { ...body, [field]: figure };
  };
}

/** Returns the body of a new key with other spellings of its networks. */
function rewriteNetworks(body: Shown, read: (range: string) => string): Shown {
  return Array.isArray(body.allowed_cidrs)
    ? { ...body, allowed_cidrs: body.allowed_cidrs.map((range) => read(String(range))) }
    : body;
}
