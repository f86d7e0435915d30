import type { Row } from "../../../engine/scenario/format.js";
import { triageActions } from "../../statements/observations.js";
import { isRoute } from "../../statements/operations.js";
import { DEFAULT_ROLE, VIEW_SCOPES } from "../../statements/roles.js";
import type { Scope } from "../../statements/scopes.js";
import { findToolStatement } from "../../statements/tools.js";
import type { Choose, Command } from "../command.js";
import { createNextName, drive, type ModelRun, send } from "../model-run.js";
import { KEY_HOURS } from "../rules/keys.js";
import type { ModelRequest } from "../rules/request.js";
import { changeKey } from "../rules/states.js";
import { chooseSurface, sortNewestFirst } from "./choices.js";

const scopeSets: readonly (readonly Scope[])[] = [
  VIEW_SCOPES,
  [...VIEW_SCOPES, "triage_observations"],
  [...VIEW_SCOPES, "submit_audit_jobs"],
  [...VIEW_SCOPES, "submit_audit_jobs", "submit_fix_jobs"],
  ["view_repositories", "manage_repos"],
  ["triage_observations"],
];

/** Invalid bodies, and the clause that each breaks. */
const wrongKeys: Readonly<Record<string, Pick<ModelRequest, "flaw" | "with">>> = {
  "no requests": { with: { requests_per_minute: 0 }, flaw: "KEY-FIELD-RPM-INVALID" },
  "half a request": { with: { requests_per_minute: 1.5 }, flaw: "KEY-FIELD-RPM-INVALID" },
  "no dollars": { with: { dollars_per_hour: 0 }, flaw: "KEY-FIELD-DOLLARS-INVALID" },
  "ended already": { with: { expires_at: "{now-1h}" }, flaw: "KEY-FIELD-EXPIRES-PAST" },
  "an invalid network": { with: { allowed_cidrs: ["nowhere"] }, flaw: "KEY-FIELD-CIDRS-INVALID" },
  "a mask that is too long": { with: { allowed_cidrs: ["10.0.0.0/99"] }, flaw: "KEY-FIELD-CIDRS-INVALID" },
};

/** The names of the invalid bodies. */
export const INVALID_KEYS = Object.keys(wrongKeys);

const keyChanges: Readonly<Record<string, Row>> = {
  "lower the rate": { requests_per_minute: 30 },
  "raise the rate": { requests_per_minute: 400 },
  "clear the rate": { requests_per_minute: null },
  "narrow the scopes": { "{binding.key_scopes_field}": ["view_repositories"] },
  "other scopes": { "{binding.key_scopes_field}": ["view_repositories", "triage_observations", "submit_audit_jobs"] },
};

/** Returns the chosen session, usually one that may manage keys; or a key, which may not. */
function choosePerson({ sut }: ModelRun, choose: Choose): string {
  const offered = ["session:admin", "session:owner", "session:member"].filter((by) => sut.offers(`session.${by.slice(8)}`));
  return choose("by", [...offered.slice(0, 2), ...offered, DEFAULT_ROLE]) ?? DEFAULT_ROLE;
}

const createKey: Command = {
  arguments: ["scopes", "rate", "by", "wrong"],
  weight: 2,
  async run(modelRun, choose) {
    const by = choosePerson(modelRun, choose);
    if (!modelRun.sut.offers("binding.key_scopes_field") || !modelRun.sut.offers("binding.key_value_field")) return undefined;
    const rate = choose("rate", [undefined, 300, 40]);
    const names = createNextName(modelRun, "key");
    const right = {
      "{binding.key_name_field}": `explorer ${names} {unique}`,
      "{binding.key_scopes_field}": choose("scopes", scopeSets),
      expires_at: `{now+${KEY_HOURS}h}`,
      ...(rate !== undefined && { requests_per_minute: rate }),
    };
    const wrong =
      by === "session:admin"
        ? choose<Pick<ModelRequest, "flaw" | "with"> | undefined>("wrong", { nothing: undefined, ...wrongKeys }, 3)
        : undefined;
    const body = { ...right, ...wrong?.with };
    return (await send(modelRun, { what: "POST /api/keys", by: "rest", as: by, ...wrong, with: body, names })).failure;
  },
};

const patchKey: Command = {
  arguments: ["key", "change", "by"],
  weight: 2,
  async run(modelRun, choose) {
    const key = choose("key", [...sortNewestFirst(modelRun.states.keys), undefined]);
    const change = choose("change", keyChanges) ?? {};
    const by = choosePerson(modelRun, choose);
    const request = {
      what: "PATCH /api/keys/{key_id}" as const,
      by: "rest" as const,
      as: by,
      with: change,
      ...(key !== undefined && { key }),
    };
    return (await send(modelRun, request)).failure;
  },
};

/** Uses a created key for a request that its scopes allow or do not allow. */
const useKey: Command = {
  arguments: ["key", "for", "surface"],
  weight: 3,
  async run(modelRun, choose) {
    const as = choose("key", sortNewestFirst(modelRun.states.keys));
    if (as === undefined) return undefined;
    const ref = sortNewestFirst(modelRun.states.observations)[0];
    const job = sortNewestFirst(modelRun.states.jobs)[0];
    const uses: Readonly<Record<string, Omit<ModelRequest, "by" | "as">>> = {
      "list jobs": { what: "GET /api/jobs", ...(job !== undefined && { job }) },
      ...(ref !== undefined && {
        acknowledge: { what: triageActions.acknowledge.route, ref },
        ticket: { what: "POST /api/observations/{ref}/publish-ticket", ref },
      }),
      "a setting": { what: "set_learn_mode", with: findToolStatement("set_learn_mode").sample ?? {} },
    };
    const request = chooseSurface(modelRun, choose, { ...(choose("for", uses) ?? { what: "GET /api/jobs" }), as });
    const scopes = modelRun.states.keys[as]?.scopes ?? [];
    // SCOPE-NAMES: the scope of a route is open. Over REST only view scopes, for the list of jobs, are certain.
    const isSure = scopes.includes("view_jobs") && (request.what === "GET /api/jobs" || scopes.length === 2);
    if (request.by === "rest" && (!isSure || !isRoute(request.what))) return undefined;
    return (await send(modelRun, request)).failure;
  },
};

const revokeKey: Command = {
  arguments: ["key"],
  weight: 1,
  async run(modelRun, choose) {
    const key = choose("key", sortNewestFirst(modelRun.states.keys));
    if (key === undefined) return undefined;
    await drive(modelRun, { event: "revoke-key", values: { key_id: `{${key}}` } }, (states) => {
      return { ...changeKey(states, key, { live: false }), keysEnded: true };
    });
    return undefined;
  },
};

/** Commands on keys. */
export const keyCommands = { createKey, patchKey, useKey, revokeKey };
