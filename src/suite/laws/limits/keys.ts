import type { Step } from "../../../engine/scenario/format.js";
import { SCOPES } from "../../statements/scopes.js";
import { createKeyStep } from "../../statements/setup-steps.js";

/** The ceilings of a key. */
export interface Ceilings {
  requests_per_minute?: number;
  dollars_per_hour?: number | string;
}

/** Returns the step that creates a key with every scope and these ceilings for a role. Its id is saved as `{ROLE_id}`. */
export function createRoleKey(role: string, ceilings: Ceilings): Step {
  const { json, saveCredential = {}, ...step } = createKeyStep(SCOPES);
  const [value = ""] = Object.values(saveCredential);
  return {
    ...step,
    json: { ...(json as object), expires_at: "{now+30d}", ...ceilings }, // long enough to wait an hour
    save: { [formatKeyId(role)]: "/key_id" },
    saveCredential: { [role]: value },
  };
}

/** Returns the variable that holds the id of a role's key. */
export function formatKeyId(role: string): string {
  return `${role}_id`;
}

const SUSPENSION = ["suspend", "reactivate"];

/** Returns the changes of a key that must not reset its limit: a PATCH of a key that the suite made, and a suspension of its workspace. */
export function listKeyChanges(offers: (need: string) => boolean, role?: string, scopes: readonly string[] = SCOPES): Step[] {
  const patch: Step = {
    rest: `PATCH /api/keys/{${role && formatKeyId(role)}}`,
    session: "admin",
    json: { "{binding.key_scopes_field}": scopes },
    given: { status: { lt: 500 } },
  };
  const suspension = SUSPENSION.every((event) => offers(`drive.${event}`)) ? SUSPENSION : [];
  return [...(role === undefined ? [] : [patch]), ...suspension.map((event) => ({ drive: event }))];
}
