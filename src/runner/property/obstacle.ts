import { firstForbidden, type Profile } from "../play/effects.js";
import { unmetNeed } from "../play/needs.js";
import type { Target } from "../target/target.js";
import type { Property } from "./property.js";

/**
 * Why a property is not tried on this target with this profile, as far as can be told before a case is drawn; `outside` says that it is the
 * profile. Its steps carry the key of role full where they name no other.
 */
export function obstacleTo(
  { effects, needs }: Pick<Property, "effects" | "needs">,
  { target, profile }: { target: Target; profile: Profile },
): { outside: boolean; why: string } | undefined {
  const effect = firstForbidden(effects, profile);
  if (effect) return { outside: true, why: `it has ${effect} steps, which the profile ${profile} leaves out` };
  const allowed = effects.flatMap((one) => (one === "paid" || one === "destructive" ? [`allow.${one}`] : []));
  const why = unmetNeed(["key.full", ...needs, ...allowed], target);
  return why === undefined ? undefined : { outside: false, why };
}
