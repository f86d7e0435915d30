import type { Demand } from "../scenario/scenario.js";
import type { Target } from "../target/target.js";
import type { PlannedKind } from "./rules.js";

/** Something that a run may make or change on the server, and what becomes of it. */
export interface PlannedSideEffect {
  what: string;
  count: number;
  /** How it is taken back; or why it stays. */
  after: string;
  stays: boolean;
}

/** What some requests make or change, if the server takes them: those that it must refuse make nothing. */
export function plannedSideEffects(
  kinds: readonly PlannedKind[],
  demands: readonly Demand[],
  target: Target,
): PlannedSideEffect[] {
  return kinds.flatMap(({ what, isMadeBy, paid, fate }) => {
    // a step that says of itself that it is not paid starts nothing; a burst is counted all the same
    const starts = (demand: Demand) => !paid || demand.paid > 0 || demand.burst;
    const makers = demands.filter((demand) => !demand.refused && starts(demand) && isMadeBy(demand));
    const count = makers.reduce((sum, demand) => sum + demand.count, 0);
    return count === 0 ? [] : [{ what, count, ...fate(target) }];
  });
}
