import type { Change } from "../../service/world/world.js";

/** A state change of one row in the form that users see. */
export interface ShownChange extends Pick<Change, "kind" | "from" | "to"> {
  at: string;
  id: string;
}

/** Returns how many rows changed. */
export function countChanges(changes: readonly Change[]): number {
  return changes.reduce((sum, change) => sum + ("ids" in change ? change.ids.length : 1), 0);
}

/** Returns the changes of each row, with readable times. */
export function showChanges(changes: readonly Change[]): ShownChange[] {
  return [...eachChange(changes)];
}

/** Yields the state changes of `showChanges` one by one. */
export function* eachChange(changes: readonly Change[]): Generator<ShownChange> {
  let last = { at: Number.NaN, text: "" };
  for (const change of changes) {
    const { kind, from, to } = change;
    // thousands of changes often happen at the same time
    if (change.at !== last.at) last = { at: change.at, text: new Date(change.at).toISOString() };
    for (const id of "ids" in change ? change.ids : [change.id]) yield { at: last.text, kind, id, from, to };
  }
}
