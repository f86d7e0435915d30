import type { Demand } from "../scenario/scenario.js";
import type { Target } from "../target/target.js";
import type { PlannedKind } from "./rules.js";

/** Resources of one kind that a run may create or change on the server. */
export interface PlannedSideEffect {
  what: string;
  count: number;
  /** How they are undone, or why they remain. */
  after: string;
  /** Whether they remain on the server. */
  stays: boolean;
}

/** Counts the resources that some requests create or change if the server accepts them. Requests that the server must refuse are not counted. */
export function listPlannedSideEffects(
  kinds: readonly PlannedKind[],
  demands: readonly Demand[],
  target: Target,
): PlannedSideEffect[] {
  return kinds.flatMap(({ what, isMadeBy, paid, outcome }) => {
    // A step that declares itself unpaid starts no paid work. A burst is counted in any case.
    const starts = (demand: Demand) => !paid || demand.paid > 0 || demand.burst;
    const creators = demands.filter((demand) => !demand.refused && starts(demand) && isMadeBy(demand));
    const count = creators.reduce((sum, demand) => sum + demand.count, 0);
    return count === 0 ? [] : [{ what, count, ...outcome(target) }];
  });
}
