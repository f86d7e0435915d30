import type { Command } from "../command.js";
import { happen, nextName, request } from "../journey.js";
import { KEY_HOURS } from "../keys.js";
import { withKey } from "../states.js";
import { bySurface, newestFirst } from "./choices.js";

const SCOPES = [
  ["view_repositories", "view_jobs"],
  ["view_repositories", "view_jobs", "triage_observations"],
  ["view_repositories", "view_jobs", "submit_audit_jobs"],
  ["view_repositories", "view_jobs", "submit_audit_jobs", "submit_fix_jobs"],
  ["view_repositories", "manage_repos"],
  ["triage_observations"],
];
const WRONG = [
  { with: { requests_per_minute: 0 }, flaw: "KEY-FIELD-RPM-INVALID" },
  { with: { requests_per_minute: 1.5 }, flaw: "KEY-FIELD-RPM-INVALID" },
  { with: { dollars_per_hour: 0 }, flaw: "KEY-FIELD-DOLLARS-INVALID" },
  { with: { expires_at: "{now-1h}" }, flaw: "KEY-FIELD-EXPIRES-PAST" },
  { with: { allowed_cidrs: ["nowhere"] }, flaw: "KEY-FIELD-CIDRS-INVALID" },
  { with: { allowed_cidrs: ["10.0.0.0/99"] }, flaw: "KEY-FIELD-CIDRS-INVALID" },
];

const createKey: Command = {
  picks: ["scopes", "rate", "by", "wrong"],
  weight: 2,
  async play(journey, pick) {
    const offered = ["session:admin", "session:owner", "session:member"].filter((by) =>
      journey.scene.offers(`session.${by.slice(8)}`),
    );
    const by = pick("by", [...offered.slice(0, 2), ...offered, "full"]) ?? "full";
    if (!journey.scene.offers("binding.key_scopes_field") || !journey.scene.offers("binding.key_value_field")) return undefined;
    const rate = pick("rate", [undefined, 300, 40]);
    const names = nextName(journey, "key");
    const right = {
      "{binding.key_name_field}": `explorer ${names} {unique}`,
      "{binding.key_scopes_field}": pick("scopes", SCOPES),
      expires_at: `{now+${KEY_HOURS}h}`,
      ...(rate !== undefined && { requests_per_minute: rate }),
    };
    const wrong = by === "session:admin" ? pick("wrong", [undefined, undefined, undefined, ...WRONG]) : undefined;
    const body = { ...right, ...wrong?.with };
    return (await request(journey, { what: "POST /api/keys", by: "rest", as: by, ...wrong, with: body, names })).failure;
  },
};

const patchKey: Command = {
  picks: ["key", "change", "by"],
  weight: 2,
  async play(journey, pick) {
    const key = pick("key", [...newestFirst(journey.states.keys), undefined]);
    const changes = [
      { requests_per_minute: 30 },
      { requests_per_minute: 3000 },
      { requests_per_minute: null },
      { "{binding.key_scopes_field}": ["view_repositories"] },
      { "{binding.key_scopes_field}": ["view_repositories", "triage_observations", "submit_audit_jobs"] },
    ];
    const change = pick("change", changes) ?? {};
    const offered = ["session:admin", "session:owner", "session:member"].filter((by) =>
      journey.scene.offers(`session.${by.slice(8)}`),
    );
    const by = pick("by", [...offered.slice(0, 2), ...offered, "full"]) ?? "full";
    const ask = {
      what: "PATCH /api/keys/{key_id}" as const,
      by: "rest" as const,
      as: by,
      with: change,
      ...(key !== undefined && { key }),
    };
    return (await request(journey, ask)).failure;
  },
};

/** Uses a key of ours for something that its scopes allow, or do not. */
const useKey: Command = {
  picks: ["key", "for", "surface"],
  weight: 3,
  async play(journey, pick) {
    const as = pick("key", newestFirst(journey.states.keys));
    if (as === undefined) return undefined;
    const ref = newestFirst(journey.states.observations)[0];
    const job = newestFirst(journey.states.jobs)[0];
    const uses = [
      { what: "GET /api/jobs" as const, ...(job !== undefined && { job }) },
      ...(ref === undefined ? [] : [{ what: "POST /api/observations/{ref}/acknowledge" as const, ref }]),
      ...(ref === undefined ? [] : [{ what: "POST /api/observations/{ref}/publish-ticket" as const, ref }]),
      { what: "set_learn_mode" as const, with: { learn_mode: true } },
    ];
    const ask = bySurface(journey, pick, { ...(pick("for", uses) ?? { what: "GET /api/jobs" }), as });
    const scopes = journey.states.keys[as]?.scopes ?? [];
    // SCOPE-NAMES: which scope a route needs is not said, so over REST only keys that may look at everything, and at nothing more, are sure.
    const sure = scopes.includes("view_jobs") && (ask.what === "GET /api/jobs" || scopes.length === 2);
    if (ask.by === "rest" && (!sure || !ask.what.includes("/"))) return undefined;
    return (await request(journey, ask)).failure;
  },
};

const revokeKey: Command = {
  picks: ["key"],
  weight: 1,
  async play(journey, pick) {
    const key = pick("key", newestFirst(journey.states.keys));
    if (key === undefined) return undefined;
    await happen(journey, { event: "revoke-key", values: { key_id: `{${key}}` } }, (states) => {
      return { ...withKey(states, key, { live: false }), keysEnded: true };
    });
    return undefined;
  },
};

/** What a case can do with keys. */
export const keyCommands = { createKey, patchKey, useKey, revokeKey };
