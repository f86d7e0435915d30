/** Where the filter is, so that a key can lead there. */
export const filterId = "filter";
/** Where the list of calls is. */
export const listId = "calls";

/** Brings the focus to a place, once what was just changed is drawn. */
export function focusOn(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}
