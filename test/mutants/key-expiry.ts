import type { ClauseId } from "../../src/contract/types.js";
import { day, minute } from "./helpers/durations.js";
import { afterSuspension } from "./helpers/jobs.js";
import {
  afterPatch,
  afterReactivation,
  changeKeyAfterPatch,
  changeKeyAfterSuccessfulPatch,
  changeKeyAgainstRules,
} from "./helpers/keys.js";
import { impersonate } from "./impersonation.js";
import { getKey, type Mutant, withTemporaryFields } from "./mutant.js";

/** Mutants that break a clause of KEY-EXPIRY-* or KEY-STATE-*. */
export const keyExpiryMutants: Mutant[] = [
  {
    name: "accepts an expired key for one more day instead of refusing it",
    breaks: "KEY-EXPIRY-401",
    around(world, call, perform) {
      const key = getKey(world, call);
      return withTemporaryFields(key, { expires_at: key?.expires_at ? key.expires_at + day : null }, () => perform(world, call));
    },
  },
  {
    name: "accepts an expired key until the end of the minute instead of refusing it",
    breaks: "KEY-EXPIRY-401",
    around(world, call, perform) {
      const key = getKey(world, call);
      const end = key?.expires_at ? Math.ceil(key.expires_at / minute) * minute : null;
      return withTemporaryFields(key, { expires_at: end }, () => perform(world, call));
    },
  },
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
        changeKeyAfterSuccessfulPatch(
          `removes ${term} of a key whose ${changed} change instead of keeping it`,
          breaks,
          (key, { sent }) => {
            if (changed in sent && !(term in sent)) Object.assign(key, { [term]: null });
          },
        ),
      ),
  ),
  changeKeyAfterSuccessfulPatch(
    "reactivates a revoked key that is changed instead of keeping it revoked",
    "KEY-STATE-REVOKED",
    (key) => {
      key.revoked_at = null;
    },
  ),
  changeKeyAfterSuccessfulPatch(
    "extends an expired key that is changed instead of keeping it expired",
    "KEY-EXPIRY-401",
    (key, { world }) => {
      if (key.expires_at !== null && key.expires_at <= world.now) key.expires_at = world.now + 86_400_000;
    },
  ),
  changeKeyAgainstRules("lets the owner extend a key instead of refusing it", "KEY-EXPIRY-IMMUTABLE", (key, { expires_at }) => {
    if (typeof expires_at === "string") key.expires_at = Date.parse(expires_at);
    return typeof expires_at === "string";
  }),
  changeKeyAfterPatch("lets a PATCH shorten a key's life instead of refusing it", "KEY-EXPIRY-IMMUTABLE", (key, { sent }) => {
    const sooner = Date.parse(String(sent.expires_at));
    if (sooner < (key.expires_at ?? Number.POSITIVE_INFINITY)) key.expires_at = sooner;
  }),
  changeKeyAfterPatch("lets a PATCH remove a key's expiry instead of refusing it", "KEY-EXPIRY-IMMUTABLE", (key, { sent }) => {
    if (sent.expires_at === null) key.expires_at = null;
  }),
  afterReactivation(
    "reactivates keys that were revoked during a suspension instead of keeping them revoked",
    "KEY-STATE-REVOKED",
    (key, since) => {
      if (key.revoked_at !== null && key.revoked_at >= since) key.revoked_at = null;
    },
  ),
  afterReactivation(
    "extends keys by the time of a suspension instead of keeping their expiry",
    "KEY-EXPIRY-401",
    (key, since, now) => {
      if (key.expires_at !== null && key.expires_at >= since) key.expires_at += now - since;
    },
  ),
  {
    name: "lets a PATCH extend a key instead of refusing it",
    breaks: "KEY-EXPIRY-IMMUTABLE",
    around: afterPatch((key, { status, sent }) => {
      if (status === 400 && sent.expires_at) key.expires_at = Date.parse(String(sent.expires_at));
    }),
  },
  ...(
    [
      ["expired", "KEY-EXPIRY-401"],
      ["revoked", "KEY-STATE-REVOKED"],
      ["fenced", "KEY-FENCE-OUTSIDE"],
      ["suspended", "WORKSPACE-SUSPEND-401"],
      ["viewer", "SCOPE-VIEW-TRIAGE"],
    ] satisfies [string, ClauseId][]
  ).map(
    ([who, breaks]): Mutant => ({
      name: `confuses the key ${who} with another key on REST of the app host instead of using the given one`,
      breaks,
      aroundWire: impersonate(who, ({ host, path }) => host === "app" && path.startsWith("/api/")),
    }),
  ),
  {
    name: "reactivates revoked keys of a workspace after its suspension instead of keeping them revoked",
    breaks: "KEY-STATE-REVOKED",
    around: afterSuspension((key) => ({ revoked_at: key.name === "revoked" ? null : key.revoked_at })),
  },
];
