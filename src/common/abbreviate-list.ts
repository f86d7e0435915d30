/** The maximum number of items that a message lists. */
export const MAX_LISTED_NAMES = 20;

/** Returns the texts of the first items of a list, and `and 5 more` for the others. For messages about lists of unlimited length, such as those in files of other users. */
export function abbreviateList<Item>(items: readonly Item[], textOf: (item: Item) => string = String): string[] {
  const more = items.length - MAX_LISTED_NAMES;
  return [...items.slice(0, MAX_LISTED_NAMES).map(textOf), ...(more > 0 ? [`and ${more} more`] : [])];
}
