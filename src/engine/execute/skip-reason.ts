import { findForbidden, listWiderProfiles } from "../scenario/effects.js";
import { listNeeds } from "../scenario/needs.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Environment } from "../target/environment.js";
import { describeUnmetNeed, findUnmetNeed, isUnusable, listUnmetItems } from "../target/needs.js";
import type { TargetRules } from "../target/rules.js";
import { isAlone } from "../target/target.js";
import type { SkipReason } from "./result.js";
import type { Run } from "./run.js";

/** Returns why this run cannot execute a scenario on this target; undefined if no reason is known before the first request. */
export function findSkipReason(
  run: Pick<Run, "target" | "profile" | "maxWaitSeconds"> & { suite: { target: TargetRules } },
  scenario: Scenario,
  environment?: Environment,
): SkipReason | undefined {
  const { profile, target } = run;
  const needs = listNeeds(scenario, run.maxWaitSeconds);
  const { names } = run.suite.target;
  const missing = [...listWiderProfiles(scenario, profile), ...listUnmetItems(needs, target, names, environment)];
  const effect = findForbidden(scenario, profile);
  if (effect) return { by: "profile", why: `the scenario has ${effect} steps, which the profile ${profile} leaves out`, missing };
  if (profile !== "full" && !isAlone(target) && scenario.usesUpLimits)
    return {
      by: "profile",
      why: `the scenario uses up a limit that other clients share, which the profile ${profile} leaves out`,
      missing: ["exclusive: true", ...missing],
    };
  const unmet = findUnmetNeed(needs, target, environment);
  if (unmet === undefined) return undefined;
  const why = describeUnmetNeed(unmet, target, names);
  return { by: "target", why, unmet, missing, ...isUnusable(needs, target) };
}
