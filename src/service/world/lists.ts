/** An entry of a list that is not empty, counted round from its end to its beginning. */
export function entryAt<T>(list: readonly T[], place: number): T {
  return list[place % list.length]!; // the remainder is a place in the list
}

/** How many entries of a sorted list come before the first that satisfies a test which all behind it satisfy too. */
export function countBefore<T>(list: readonly T[], isBehind: (entry: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(entryAt(list, middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}
