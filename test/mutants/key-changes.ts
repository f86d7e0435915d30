import type { ClauseId } from "../../src/contract/types.js";
import type { Key, World } from "../../src/service/world/world.js";
import { mutantPerValue } from "./family.js";
import { clearCeiling, clearOwnCeilings, isLowerCeiling } from "./helpers/ceilings.js";
import {
  afterPatch,
  ceilingNames,
  changeKeyAfterPatch,
  changeKeyAfterSuccessfulPatch,
  changeKeyAgainstRules,
  changePatchBody,
  createKeyFromOtherBody,
  makers,
  rememberKeyCreator,
  sessionWithRole,
  treatAsMember,
  withPatchBody,
} from "./helpers/keys.js";
import { performUnchanged } from "./helpers/observations.js";
import { withoutHourlyCeiling } from "./helpers/rates.js";
import { changeKeyRoute } from "./helpers/routes.js";
import { getBody, getKey, getRoute, type Mutant, param, withBody, withTemporaryFields, wrapRoute } from "./mutant.js";

const firstCeilings = new WeakMap<Key, Pick<Key, "requests_per_minute" | "dollars_per_hour">>();

type Ceiling = "requests_per_minute" | "dollars_per_hour";

/** Mutants that break a clause of KEY-CEILING-* or KEY-PATCH-*. */
export const keyChangesMutants: Mutant[] = [
  changeKeyAfterSuccessfulPatch(
    "changes the ceilings of all keys of one name instead of one key",
    "KEY-CEILING-OMITTED",
    (key, { world }) => {
      const { requests_per_minute } = key;
      for (const otherKey of getNamesakes(world, key)) Object.assign(otherKey, { requests_per_minute });
    },
  ),
  changeKeyAfterSuccessfulPatch(
    "changes the scopes of all keys of one name instead of one key",
    "KEY-PATCH-SCOPES",
    (key, { sent, world }) => {
      if ("scopes" in sent) for (const otherKey of getNamesakes(world, key)) otherKey.scopes = key.scopes;
    },
  ),
  {
    name: "lets only the creator edit a key instead of every admin",
    breaks: "KEY-PATCH-ADMIN",
    around(world, call, perform) {
      const maker = makers.get(world.keys[param(call, "key_id")] as Key);
      const isOther = maker !== undefined && maker !== call.cookie;
      return isOther ? perform(world, { ...call, cookie: "nobody" }) : rememberKeyCreator(world, call, perform);
    },
  },
  ...(
    [
      ["KEY-PATCH-RAISE", "requests_per_minute", (was, figure) => Number(figure) > Number(was)],
      ["KEY-PATCH-RAISE", "dollars_per_hour", (was, figure) => Number(figure) > Number(was)],
      ["KEY-PATCH-CLEAR", "requests_per_minute", (_, figure) => figure === null],
      ["KEY-PATCH-CLEAR", "dollars_per_hour", (_, figure) => figure === null],
    ] satisfies [ClauseId, keyof Key, (was: unknown, figure: unknown) => boolean][]
  ).map(([breaks, ceiling, isMeant]) =>
    changeKeyAgainstRules(
      `lets the owner change ${ceiling} against ${breaks} instead of refusing it`,
      breaks,
      (key, sentBody) => {
        if (!isMeant(key[ceiling], sentBody[ceiling])) return false;
        Object.assign(key, { [ceiling]: sentBody[ceiling] });
        return true;
      },
    ),
  ),
  {
    name: "treats a ceiling of 0 as no ceiling instead of refusing it",
    breaks: "KEY-PATCH-UNCHANGED",
    value: { surface: "rest", dimension: "ceiling", value: "requests_per_minute" },
    around: wrapRoute(changeKeyRoute, (world, call, perform) => {
      const key = world.keys[param(call, "key_id")];
      if (!key || getBody(call).requests_per_minute !== 0) return perform(world, call);
      key.requests_per_minute = null;
      return perform(world, withBody(call, { requests_per_minute: undefined }));
    }),
  },
  ...(["requests_per_minute", "dollars_per_hour"] as const).flatMap((ceiling) => [
    changeKeyAfterPatch(
      `stores ${ceiling} by PATCH without applying it instead of applying it`,
      "KEY-PATCH-SET",
      (key, { sent, before }) => {
        if (ceiling in sent && before[ceiling] === null) key[ceiling] = null;
      },
    ),
    changeKeyAfterPatch(
      `answers that it refuses to raise ${ceiling} and raises it instead of keeping it`,
      "KEY-PATCH-UNCHANGED",
      (key, { sent }) => {
        if (typeof sent[ceiling] === "number" && sent[ceiling] > Number(key[ceiling])) key[ceiling] = sent[ceiling];
      },
    ),
    changeKeyAfterPatch(
      `answers that it refuses to clear ${ceiling} and clears it instead of keeping it`,
      "KEY-PATCH-UNCHANGED",
      (key, { sent }) => {
        if (sent[ceiling] === null) key[ceiling] = null;
      },
    ),
  ]),
  {
    name: "limits a key without hourly dollars to one cent instead of not at all",
    breaks: "KEY-CEILING-OMITTED",
    around: createKeyFromOtherBody((body) => ("dollars_per_hour" in body ? body : { ...body, dollars_per_hour: 0.01 })),
  },
  changePatchBody(
    "raises the requests of a key whose dollars are lowered instead of keeping them",
    "KEY-PATCH-RAISE",
    (key, sentBody) => {
      const [rate, dollars] = [Number(sentBody.requests_per_minute), Number(sentBody.dollars_per_hour)];
      if (rate > Number(key.requests_per_minute) && dollars <= Number(key.dollars_per_hour)) key.requests_per_minute = rate;
      return sentBody;
    },
  ),
  ...[
    { amount: "a few cents", max: 0.05 },
    { amount: "less than a cent", max: 0.009 },
  ].map(({ amount, max }) =>
    changePatchBody(`raises dollars by ${amount} instead of refusing it`, "KEY-PATCH-RAISE", (key, sentBody) => {
      const [was, dollars] = [Number(key.dollars_per_hour), Number(sentBody.dollars_per_hour)];
      if (dollars > was && dollars - was < max) key.dollars_per_hour = dollars;
      return sentBody;
    }),
  ),
  changePatchBody(
    "lowers the dollars of a key with a refused change instead of keeping them",
    "KEY-PATCH-UNCHANGED",
    (key, sentBody) => {
      const dollars = Number(sentBody.dollars_per_hour);
      if (dollars < Number(key.dollars_per_hour)) key.dollars_per_hour = dollars;
      return sentBody;
    },
  ),
  changePatchBody(
    "lowers the requests a minute of a key with refused scopes instead of keeping them",
    "KEY-PATCH-UNCHANGED",
    (key, sentBody) => {
      const rate = Number(sentBody.requests_per_minute);
      if ("scopes" in sentBody && rate < Number(key.requests_per_minute)) key.requests_per_minute = rate;
      return sentBody;
    },
  ),
  {
    name: "lets a member edit keys instead of answering 403",
    breaks: "KEY-PATCH-ADMIN",
    around: wrapRoute(changeKeyRoute, (world, call, perform) =>
      withTemporaryFields(sessionWithRole(world, call, "member"), { role: "admin" }, () => perform(world, call)),
    ),
  },
  {
    name: "keeps the scopes of a key instead of narrowing them",
    breaks: "KEY-PATCH-SCOPES",
    around: wrapRoute(changeKeyRoute, (world, call, perform) =>
      perform(world, getBody(call).scopes ? withBody(call, { scopes: "none" }) : call),
    ),
  },
  {
    name: "removes all scopes of a narrowed key instead of the left out ones",
    breaks: "KEY-PATCH-SCOPES",
    around: wrapRoute(changeKeyRoute, (world, call, perform) =>
      perform(world, getBody(call).scopes ? withBody(call, { scopes: [] }) : call),
    ),
  },
  ...mutantPerValue(
    "KEY-CEILING-OMITTED",
    "ceiling",
    "applies a low limit to a key without * instead of none",
    (field) => (world, call, perform) => {
      const low = field === "dollars_per_hour" ? 0.5 : 100;
      const key = getKey(world, call);
      return withTemporaryFields(key, { [field]: key?.[field as Ceiling] ?? low }, () => perform(world, call));
    },
  ),
  ...mutantPerValue(
    "KEY-CEILING-TIGHTEN",
    "ceiling",
    "limits a key with a high * not at all instead of as the workspace",
    (field) => (world, call, perform) => {
      const key = getKey(world, call);
      if (field === "dollars_per_hour")
        return (key?.dollars_per_hour ? withoutHourlyCeiling("workspace") : performUnchanged)(world, call, perform);
      if (key?.requests_per_minute && key.requests_per_minute > 600) delete world.rates[key.id];
      return perform(world, call);
    },
  ),
  ...mutantPerValue("KEY-PATCH-SET", "ceiling", "forgets a * that is set on a key without one instead of storing it", (field) =>
    afterPatch((key, { before, status }) =>
      status === 200 && before[field as Ceiling] === null ? clearCeiling(key, field) : undefined,
    ),
  ),
  ...mutantPerValue(
    "KEY-PATCH-LOWER",
    "ceiling",
    "claims a lower * and keeps the old value instead of lowering the value",
    (field) =>
      afterPatch((key, { before, status }) => {
        if (status === 200 && before[field as Ceiling] !== null) Object.assign(key, { [field]: before[field as Ceiling] });
      }),
  ),
  ...mutantPerValue("KEY-PATCH-LOWER", "ceiling", "refuses to lower * instead of lowering it", (field) =>
    withPatchBody((body, key) => {
      const now = key[field as Ceiling];
      return typeof body[field] === "number" && now !== null && (body[field] as number) < now ? { ...body, [field]: null } : body;
    }),
  ),
  ...mutantPerValue("KEY-PATCH-RAISE", "ceiling", "raises * by PATCH instead of refusing it", (field) =>
    withPatchBody((body, key) => {
      if (typeof body[field] === "number") clearCeiling(key, field);
      return body;
    }),
  ),
  ...mutantPerValue("KEY-PATCH-CLEAR", "ceiling", "ignores a null for * instead of refusing it", (field) =>
    withPatchBody(({ [field]: value, ...body }) => (value === null || value === undefined ? body : { ...body, [field]: value })),
  ),
  ...mutantPerValue("KEY-PATCH-CLEAR", "ceiling", "clears * by PATCH instead of refusing it", (field) =>
    withPatchBody(({ [field]: value, ...body }, key) => {
      if (value !== null) return { ...body, ...(value !== undefined && { [field]: value }) };
      clearCeiling(key, field);
      return body;
    }),
  ),
  ...mutantPerValue(
    "KEY-PATCH-UNCHANGED",
    "ceiling",
    "answers that it refuses to change * and changes it instead of keeping it",
    (field) =>
      afterPatch((key, { status, sent }) => {
        if (status === 400 && sent[field] !== undefined) Object.assign(key, { [field]: sent[field] });
      }),
  ),
  ...mutantPerValue("KEY-PATCH-ADMIN", "manager", "refuses key edits by * instead of accepting them", (role) =>
    treatAsMember(changeKeyRoute, role),
  ),
  {
    name: "answers 403 for a key that does not exist instead of 404",
    breaks: "KEY-PATCH-UNKNOWN",
    around(world, call, perform) {
      const response = perform(world, call);
      return getRoute(call) === changeKeyRoute && response.status === 404 ? { ...response, status: 403 } : response;
    },
  },
  {
    name: "stores the scopes of a refused change instead of keeping the old ones",
    breaks: "KEY-PATCH-UNCHANGED",
    around: afterPatch((key, { status, sent }) => {
      const { scopes } = sent as Partial<Key>;
      if (status === 400 && scopes?.every((scope) => key.scopes.includes(scope))) key.scopes = scopes;
    }),
  },
  {
    name: "stores a lower ceiling of a refused change instead of keeping it",
    breaks: "KEY-PATCH-UNCHANGED",
    around: afterPatch((key, { status, sent }) => {
      for (const field of ceilingNames) {
        const [now, next] = [key[field], sent[field]];
        if (status === 400 && typeof next === "number" && (now === null || next < now)) key[field] = next;
      }
    }),
  },
  {
    name: "ignores a lower ceiling in a change that also narrows scopes instead of lowering it",
    breaks: "KEY-PATCH-LOWER",
    around: withPatchBody((body, key) => (body.scopes && isLowerCeiling(body, key) ? { scopes: body.scopes } : body)),
  },
  {
    name: "clears by PATCH a ceiling that a PATCH has set instead of refusing it",
    breaks: "KEY-PATCH-CLEAR",
    around: clearOwnCeilings(),
  },
  {
    name: "compares a ceiling with the first one instead of the current one",
    breaks: "KEY-PATCH-RAISE",
    around: wrapRoute(changeKeyRoute, (world, call, perform) => {
      const key = world.keys[param(call, "key_id")];
      if (!key) return perform(world, call);
      const { requests_per_minute, dollars_per_hour } = key;
      const first = firstCeilings.get(key) ?? { requests_per_minute, dollars_per_hour };
      firstCeilings.set(key, first);
      Object.assign(key, first);
      const response = perform(world, call);
      const kept = { requests_per_minute, dollars_per_hour };
      Object.assign(key, response.status < 300 ? { ...kept, ...getBody(call) } : kept);
      return response;
    }),
  },
];

function getNamesakes(world: World, { id, name, workspace }: Key): Key[] {
  return Object.values(world.keys).filter(
    (otherKey) => otherKey.id !== id && otherKey.name === name && otherKey.workspace === workspace,
  );
}
