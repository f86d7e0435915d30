/** The filter's input, which a shortcut focuses. */
export const filterId = "filter";
/** The list of calls. */
export const listId = "calls";

/** Focuses an element after the next drawing. */
export function focusOn(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}
