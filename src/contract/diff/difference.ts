/**
 * The meaning of a difference. `breaks-callers`: a caller of the contract can fail. `contradicts-contract`: the contract requires
 * something else of the document. `absent`: the document does not list a part that a server may nevertheless have.
 */
export type Impact = "breaks-callers" | "contradicts-contract" | "absent";

/** One difference of a document from the contract. */
export interface Difference {
  /** The operation, and where in it. */
  at: string;
  change: "removed" | "renamed" | "added" | "type" | "required" | "limit" | "rate-limit";
  impact: Impact;
  /** The change in a shared schema or in similar operations: `Job/id: is integer, was string`. Differences with one cause have one fix. */
  cause: string;
  message: string;
}

/** A cause with its differences, in the order of the operations. */
export interface Cause {
  impact: Impact;
  cause: string;
  differences: readonly [Difference, ...Difference[]];
}

/** A place in an operation: `at` for messages, and `part`, the key by which differences with one cause are grouped. */
export interface Place {
  at: string;
  part: string;
}

/** Returns a difference whose cause is the same message about the same part. */
export function createDifference(
  { at, part }: Place,
  change: Difference["change"],
  message: string,
  impact: Impact = "breaks-callers",
): Difference {
  return { at, change, impact, cause: `${part}: ${message}`, message };
}

/** Groups differences by impact and cause. Returns the causes with most differences first. */
export function groupByCause(differences: readonly Difference[]): Cause[] {
  const groups = new Map<string, [Difference, ...Difference[]]>();
  for (const difference of differences) {
    const key = `${difference.impact} ${difference.cause}`;
    const group = groups.get(key);
    if (group) group.push(difference);
    else groups.set(key, [difference]);
  }
  return [...groups.values()]
    .map((group) => ({ impact: group[0].impact, cause: group[0].cause, differences: group }))
    .sort((a, b) => b.differences.length - a.differences.length);
}

/** Returns the part below a place, or the named schema if the contract has one for it. */
export function readPart(schema: unknown, part: string): string {
  const { $ref, allOf } = (schema ?? {}) as Record<string, unknown>;
  if (typeof $ref === "string") return $ref.slice($ref.lastIndexOf("/") + 1);
  return Array.isArray(allOf) && allOf.length === 1 ? readPart(allOf[0], part) : part;
}
