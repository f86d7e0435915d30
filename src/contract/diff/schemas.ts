import { type Json, type Shape, shapeOf } from "./shape.js";

/** One breaking change of a document. */
export interface Difference {
  /** The operation, and where in it. */
  at: string;
  change: "removed" | "renamed" | "type" | "required" | "rate-limit";
  message: string;
}

/** Two schemas for the same place. Answers may contain more, and requests may require less. */
export interface Pair {
  ours: unknown;
  theirs: unknown;
  direction: "answer" | "request";
  at: string;
}

/** The two compared documents. */
export interface Documents {
  ours: Json;
  theirs: Json;
}

/** Finds the breaking changes of one schema. Skips what the contract leaves open (`x-not-shown`, `x-assumed`). */
export function compareSchemas(pair: Pair, documents: Documents): Difference[] {
  if (isOpen(pair.ours)) return [];
  const ours = shapeOf(pair.ours, documents.ours);
  const theirs = shapeOf(pair.theirs, documents.theirs);
  const { at, direction } = pair;
  return [
    ...compareTypes(ours, theirs, pair),
    ...compareValues(ours, theirs, at),
    ...compareProperties(ours, theirs, pair, documents),
    ...(ours.items && theirs.items
      ? compareSchemas({ ours: ours.items, theirs: theirs.items, direction, at: `${at}[]` }, documents)
      : []),
  ];
}

/** Returns whether the contract leaves a shape open, or the shape is our choice. */
export function isOpen(node: unknown): boolean {
  return typeof node === "object" && node !== null && ("x-not-shown" in node || "x-assumed" in node);
}

/** Returns the candidate if there is exactly one. */
export function onlyCandidate<T>(candidates: readonly T[]): T | undefined {
  return candidates.length === 1 ? candidates[0] : undefined;
}

function compareTypes(ours: Shape, theirs: Shape, { direction, at }: Pair): Difference[] {
  if (!ours.types || !theirs.types) return [];
  const [given, allowed] = direction === "answer" ? [theirs.types, ours.types] : [ours.types, theirs.types];
  const fits = [...given].every((type) => allowed.has(type) || (type === "integer" && allowed.has("number")));
  // a document must stay within the plain shape and must not contradict its `x-rule`
  const keeps = !ours.ruleTypes || [...ours.ruleTypes].some((type) => theirs.types?.has(type));
  if (fits && keeps) return [];
  return [
    {
      at,
      change: "type",
      message: `is ${[...theirs.types].join(" or ")}, was ${[...(ours.ruleTypes ?? ours.types)].join(" or ")}`,
    },
  ];
}

function compareValues(ours: Shape, theirs: Shape, at: string): Difference[] {
  if (!ours.values || !theirs.values) return [];
  const missingValues = [...ours.values].filter((value) => value !== null && !theirs.values?.has(value));
  return missingValues.map((value) => ({
    at,
    change: "removed",
    message: `the value ${JSON.stringify(value)} is gone`,
  }));
}

function compareProperties(ours: Shape, theirs: Shape, { direction, at }: Pair, documents: Documents): Difference[] {
  const added = [...theirs.properties.keys()].filter((name) => !ours.properties.has(name));
  const found: Difference[] = [];
  const renamed = new Set<string>();
  for (const [name, schema] of ours.properties) {
    const here = `${at}/${name}`;
    const other = theirs.properties.get(name);
    if (other) {
      found.push(...compareSchemas({ ours: schema, theirs: other, direction, at: here }, documents));
      found.push(...compareRequired(name, schema, ours, theirs, { direction, at: here }));
    } else if (!("x-assumed" in schema) && theirs.types !== null) {
      const next = onlyCandidate(added.filter((one) => haveSameValues(schema, theirs.properties.get(one), documents)));
      if (next) renamed.add(next);
      found.push(
        next
          ? { at: here, change: "renamed", message: `is gone; "${next}" may be its new name` }
          : { at: here, change: "removed", message: "is gone" },
      );
    }
  }
  const isFree = [...ours.properties.values()].some((schema) => "x-assumed" in schema);
  if (direction === "answer" || isFree) return found;
  const demanded = added.filter((name) => theirs.required.has(name) && !renamed.has(name));
  return [
    ...found,
    ...demanded.map((name): Difference => ({ at: `${at}/${name}`, change: "required", message: "is new and required" })),
  ];
}

/**
 * Compares whether a field is required. A required field of an answer must stay required; an optional field of a request must
 * stay optional.
 */
function compareRequired(
  name: string,
  schema: Json,
  ours: Shape,
  theirs: Shape,
  { direction, at }: Pick<Pair, "direction" | "at">,
): Difference[] {
  if ("x-assumed" in schema || ours.required.has(name) === theirs.required.has(name)) return [];
  if (direction === "answer" && ours.required.has(name))
    return [{ at, change: "required", message: "may be missing, was always there" }];
  if (direction === "request" && theirs.required.has(name))
    return [{ at, change: "required", message: "is required, was optional" }];
  return [];
}

function haveSameValues(ours: unknown, theirs: unknown, documents: Documents): boolean {
  const summary = ({ types, values }: Shape) => JSON.stringify([types && [...types].sort(), values && [...values]]);
  return summary(shapeOf(ours, documents.ours)) === summary(shapeOf(theirs, documents.theirs));
}
