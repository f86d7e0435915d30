import type { Step } from "../../../engine/scenario/format.js";
import { SCOPES } from "../../statements/scopes.js";
import { keyIdOf } from "./keys.js";

const SUSPENSION = ["suspend", "reactivate"];

/** What a used-up key may live through without new room: it is changed, where it is one of ours, and its workspace is suspended for a moment. */
export function changesOf(offers: (need: string) => boolean, role?: string, scopes: readonly string[] = SCOPES): Step[] {
  const patch: Step = {
    rest: `PATCH /api/keys/{${role && keyIdOf(role)}}`,
    session: "admin",
    json: { "{binding.key_scopes_field}": scopes },
    given: { status: { lt: 500 } },
  };
  const suspension = SUSPENSION.every((event) => offers(`drive.${event}`)) ? SUSPENSION : [];
  return [...(role === undefined ? [] : [patch]), ...suspension.map((event) => ({ drive: event }))];
}
