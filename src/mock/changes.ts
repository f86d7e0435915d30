import type { Change } from "../service/world.js";

/** A state change as users see it. */
export interface ShownChange extends Omit<Change, "at"> {
  at: string;
}

/** State changes with readable times. */
export function showChanges(changes: readonly Change[]): ShownChange[] {
  let last = { at: Number.NaN, text: "" };
  return changes.map((change) => {
    // of thousands most happen at the same time
    if (change.at !== last.at) last = { at: change.at, text: new Date(change.at).toISOString() };
    return { ...change, at: last.text };
  });
}
