/** Where one reading of a list contradicts another. */
export interface Difference {
  /** `repeated`: the part has a row twice. `missing`: the part lacks a row of the whole. `extra`: the whole lacks a row of the part. */
  what: "repeated" | "missing" | "extra";
  /** Its place: in the whole for `lost`, else in the part. */
  index: number;
}

/** The first way in which the keys of a part are not exactly the keys of the whole, in whatever order; undefined when they are. */
export function difference(whole: readonly string[], part: readonly string[]): Difference | undefined {
  const twice = repeated(part);
  if (twice >= 0) return { what: "repeated", index: twice };
  const inPart = new Set(part);
  const lost = whole.findIndex((key) => !inPart.has(key));
  if (lost >= 0) return { what: "missing", index: lost };
  const inWhole = new Set(whole);
  const strange = part.findIndex((key) => !inWhole.has(key));
  return strange < 0 ? undefined : { what: "extra", index: strange };
}

/** The place of the first key that has come before; -1 when none has. */
export function repeated(keys: readonly string[]): number {
  const seen = new Set<string>();
  return keys.findIndex((key) => seen.size === seen.add(key).size);
}
