/** The first contradiction between two readings of a list. */
export interface Difference {
  /** `repeated`: the part has a row twice. `missing`: the part lacks a row of the whole. `extra`: the whole lacks a row of the part. */
  what: "repeated" | "missing" | "extra";
  /** Index of the row: in the whole for `missing`, otherwise in the part. */
  index: number;
}

/** Returns the first difference between the keys of a part and the whole, in any order; undefined when they are the same. */
export function findDifference(whole: readonly string[], part: readonly string[]): Difference | undefined {
  const twice = findFirstRepeated(part);
  if (twice >= 0) return { what: "repeated", index: twice };
  const partIncludesRow = new Set(part);
  const lost = whole.findIndex((key) => !partIncludesRow.has(key));
  if (lost >= 0) return { what: "missing", index: lost };
  const wholeIncludesRow = new Set(whole);
  const unknownRow = part.findIndex((key) => !wholeIncludesRow.has(key));
  return unknownRow < 0 ? undefined : { what: "extra", index: unknownRow };
}

/** Returns the index of the first repeated key; -1 when there is none. */
export function findFirstRepeated(keys: readonly string[]): number {
  const seen = new Set<string>();
  return keys.findIndex((key) => seen.size === seen.add(key).size);
}
