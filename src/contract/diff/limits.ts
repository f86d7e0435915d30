import { createDifference, type Difference, type Place } from "./difference.js";

/** The JSON Schema keywords of limits, and whether each is a lower or an upper limit. */
const LIMIT_KINDS = {
  minimum: "lower",
  maximum: "upper",
  minLength: "lower",
  maxLength: "upper",
  minItems: "lower",
  maxItems: "upper",
} as const;

type LimitName = keyof typeof LIMIT_KINDS;

const limitNames = Object.keys(LIMIT_KINDS) as LimitName[];

/** A limit of a number, a length or a count. `isExclusive`: the bound itself is outside. */
interface Limit {
  bound: number;
  isExclusive: boolean;
}

/** The limits of a schema by keyword. An exclusive limit stands under `minimum` or `maximum`. */
export type Limits = ReadonlyMap<LimitName, Limit>;

/** Returns the limits of a schema without its parts. Reads both forms of `exclusiveMinimum`: a number, or true beside `minimum`. */
export function readLimits(node: Readonly<Record<string, unknown>>): Limits {
  const limits = new Map<LimitName, Limit>();
  const isInteger = [node.type].flat().every((type) => type === "integer" || type === "null");
  for (const name of limitNames) {
    const exclusive = node[`exclusive${name.charAt(0).toUpperCase()}${name.slice(1)}`];
    const bounds = [
      { bound: node[name], isExclusive: exclusive === true },
      { bound: exclusive, isExclusive: true },
    ].filter((limit): limit is Limit => typeof limit.bound === "number");
    const [first, ...others] = bounds.map((limit) => (isInteger ? makeInclusive(name, limit) : limit));
    if (first)
      limits.set(
        name,
        others.reduce((a, b) => pickStricter(name, a, b), first),
      );
  }
  return limits;
}

/** Returns the limits of values that satisfy both. */
export function intersectLimits(a: Limits, b: Limits): Limits {
  const limits = new Map([...a, ...b]);
  for (const [name, limit] of a) limits.set(name, pickStricter(name, limit, b.get(name) ?? limit));
  return limits;
}

/** Returns the limits of values that satisfy at least one. */
export function uniteLimits(a: Limits, b: Limits): Limits {
  const limits = new Map<LimitName, Limit>();
  for (const [name, limit] of a) {
    const other = b.get(name);
    if (other) limits.set(name, pickStricter(name, limit, other) === limit ? other : limit);
  }
  return limits;
}

/**
 * Compares limits. A stricter limit of a request and a looser limit of a response break callers. A looser limit of a request contradicts the
 * contract, which refuses what is beyond its limit.
 */
export function compareLimits(ours: Limits, theirs: Limits, place: Place, isRequest: boolean): Difference[] {
  return limitNames.flatMap((name) => {
    const [known, listed] = [ours.get(name), theirs.get(name)];
    if (!listed) return known ? [createDifference(place, "limit", `has no ${name}`, "absent")] : [];
    // The contract states no limit here, so a server may have one.
    if (!known) return [];
    if (isSame(known, listed)) return [];
    const isStricter = pickStricter(name, known, listed) === listed;
    if (isStricter && !isRequest) return [];
    const message = `${name} is ${formatLimit(listed)}, was ${formatLimit(known)}`;
    return [createDifference(place, "limit", message, isRequest && !isStricter ? "contradicts-contract" : "breaks-callers")];
  });
}

function pickStricter(name: LimitName, a: Limit, b: Limit): Limit {
  if (a.bound === b.bound) return a.isExclusive ? a : b;
  return a.bound > b.bound === (LIMIT_KINDS[name] === "lower") ? a : b;
}

/** Returns an exclusive limit of integers as the next integer inside. */
function makeInclusive(name: LimitName, { bound, isExclusive }: Limit): Limit {
  if (!isExclusive) return { bound, isExclusive };
  return { bound: LIMIT_KINDS[name] === "lower" ? Math.floor(bound) + 1 : Math.ceil(bound) - 1, isExclusive: false };
}

function isSame(a: Limit, b: Limit): boolean {
  return a.bound === b.bound && a.isExclusive === b.isExclusive;
}

function formatLimit({ bound, isExclusive }: Limit): string {
  return isExclusive ? `${bound} (exclusive)` : String(bound);
}
