import { forbidden } from "../scenario/effects.js";
import { needsOf } from "../scenario/needs.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Environment } from "../target/environment.js";
import { unmetNeed, unmetNeedMessage } from "../target/needs.js";
import { isAlone } from "./confirm.js";
import type { Run } from "./run.js";

/** Why a scenario is not executed: the profile of the run excludes it (`outside`), or the target does not meet a need. */
export interface Obstacle {
  outside: boolean;
  /** The reason in words. */
  why: string;
  /** The need that the target does not meet. */
  unmet?: string;
}

/** Returns why this run cannot execute a scenario on this target; undefined if no reason is known before the first request. */
export function obstacle(
  run: Pick<Run, "target" | "profile" | "maxWaitSeconds">,
  scenario: Scenario,
  environment?: Environment,
): Obstacle | undefined {
  const { profile, target } = run;
  const effect = forbidden(scenario, profile);
  if (effect) return { outside: true, why: `the scenario has ${effect} steps, which the profile ${profile} leaves out` };
  if (profile !== "full" && !isAlone(target) && scenario.usesUpLimits)
    return {
      outside: true,
      why: `the scenario uses up a limit that other clients share, which the profile ${profile} leaves out`,
    };
  const unmet = unmetNeed(needsOf(scenario, run.maxWaitSeconds), target, environment);
  return unmet === undefined ? undefined : { outside: false, why: unmetNeedMessage(unmet), unmet };
}
