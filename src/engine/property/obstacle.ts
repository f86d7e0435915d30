import { forbidden, type Profile } from "../scenario/effects.js";
import { unmetNeed, unmetNeedMessage } from "../target/needs.js";
import type { Target } from "../target/target.js";
import type { Property } from "./property.js";

/**
 * Why a property is not checked on this target with this profile, as far as is known before a case is drawn; `outside` says that it is the
 * profile. Its steps carry the key of the default role where they name no other.
 */
export function obstacleTo(
  { effects, needs }: Pick<Property, "effects" | "needs">,
  { target, profile }: { target: Target; profile: Profile },
  defaultRole: string,
): { outside: boolean; why: string } | undefined {
  const effect = forbidden({ effects }, profile);
  if (effect) return { outside: true, why: `it has ${effect} steps, which the profile ${profile} leaves out` };
  const allowed = effects.flatMap((one) => (one === "paid" || one === "destructive" ? [`allow.${one}`] : []));
  const unmet = unmetNeed([`key.${defaultRole}`, ...needs, ...allowed], target);
  return unmet === undefined ? undefined : { outside: false, why: unmetNeedMessage(unmet) };
}
