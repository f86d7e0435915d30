/** Returns an entry of a non-empty list. The index wraps around at the end. */
export function readEntryAt<T>(list: readonly T[], place: number): T {
  return list[place % list.length]!; // the remainder is always a valid index
}

/** Returns the index of the first entry that passes the test. Every entry after it must pass too (binary search). */
export function findLowerBound<T>(list: readonly T[], isBehind: (entry: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(readEntryAt(list, middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}
