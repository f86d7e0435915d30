import type { Step } from "../../../engine/scenario/format.js";
import { SCOPES } from "../../statements/scopes.js";
import { createKeyStep } from "../../statements/setup-steps.js";

/** The ceilings of a key. */
export interface Ceilings {
  requests_per_minute?: number;
  dollars_per_hour?: number | string;
}

/** Makes a key with every scope and these ceilings, for a role of its own; its id is saved as `{id of ROLE}`. */
export function keyWith(role: string, ceilings: Ceilings): Step {
  const { json, saveCredential = {}, ...step } = createKeyStep(SCOPES);
  const [value = ""] = Object.values(saveCredential);
  return {
    ...step,
    json: { ...(json as object), expires_at: "{now+30d}", ...ceilings }, // to wait out an hour takes longer than one
    save: { [keyIdOf(role)]: "/key_id" },
    saveCredential: { [role]: value },
  };
}

/** The variable that holds the id of a role's key. */
export function keyIdOf(role: string): string {
  return `${role}_id`;
}
