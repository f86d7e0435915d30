/** Returns the first items of a list, and `and 5 more` for the others. For messages about lists of unlimited length, such as those in files of other users. */
export function abbreviateList(items: readonly string[], most = 20): string[] {
  const more = items.length - most;
  return more > 0 ? [...items.slice(0, most), `and ${more} more`] : [...items];
}
