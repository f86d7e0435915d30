import type { Change } from "../service/world.js";

/** A state change as users see it. */
export interface ShownChange extends Omit<Change, "at"> {
  at: string;
}

/** State changes with readable times. */
export function showChanges(changes: readonly Change[]): ShownChange[] {
  return changes.map((change) => ({ ...change, at: new Date(change.at).toISOString() }));
}
