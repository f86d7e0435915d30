import { createDifference, type Difference, type Place, readPart } from "./difference.js";
import { compareLimits } from "./limits.js";
import { computeShape, type Json, type Shape } from "./shape.js";

/** Two schemas for the same place. Answers may contain more, and requests may require less. */
export interface Pair extends Place {
  ours: unknown;
  theirs: unknown;
  direction: "answer" | "request";
}

/** The two compared documents. */
export interface Documents {
  ours: Json;
  theirs: Json;
}

/** Finds the differences of one schema. Skips what the contract leaves open (`x-not-shown`, `x-assumed`). */
export function compareSchemas(givenPair: Pair, documents: Documents): Difference[] {
  if (isOpen(givenPair.ours)) return [];
  const pair = { ...givenPair, part: readPart(givenPair.ours, givenPair.part) };
  const ours = computeShape(pair.ours, documents.ours);
  const theirs = computeShape(pair.theirs, documents.theirs);
  return [
    ...compareTypes(ours, theirs, pair),
    ...compareValues(ours, theirs, pair),
    ...(theirs.types && !theirs.values ? compareLimits(ours.limits, theirs.limits, pair, pair.direction === "request") : []),
    ...compareProperties(ours, theirs, pair, documents),
    ...(ours.items && theirs.items
      ? compareSchemas({ ...createChildPair(pair, "[]"), ours: ours.items, theirs: theirs.items }, documents)
      : []),
  ];
}

/** Returns whether the contract leaves a shape open, or the shape is our choice. */
export function isOpen(node: unknown): boolean {
  return typeof node === "object" && node !== null && ("x-not-shown" in node || "x-assumed" in node);
}

/** Returns the candidate if there is exactly one. */
export function findOnlyCandidate<T>(candidates: readonly T[]): T | undefined {
  return candidates.length === 1 ? candidates[0] : undefined;
}

function createChildPair({ at, part, direction }: Pair, step: string): Omit<Pair, "ours" | "theirs"> {
  return { at: `${at}${step}`, part: `${part}${step}`, direction };
}

function compareTypes(ours: Shape, theirs: Shape, pair: Pair): Difference[] {
  if (!ours.types) return [];
  const isRequest = pair.direction === "request";
  if (!theirs.types) return isRequest ? [] : [createDifference(pair, "removed", "has no type", "absent")];
  const [given, allowed] = isRequest ? [ours.types, theirs.types] : [theirs.types, ours.types];
  const fits = [...given].every((type) => allowed.has(type) || (type === "integer" && allowed.has("number")));
  // a document must stay within the plain shape and must not contradict its `x-rule`
  const keeps = !ours.ruleTypes || [...ours.ruleTypes].some((type) => theirs.types?.has(type));
  if (fits && keeps) return [];
  const message = `is ${[...theirs.types].join(" or ")}, was ${[...(ours.ruleTypes ?? ours.types)].join(" or ")}`;
  return [createDifference(pair, "type", message, fits ? "contradicts-contract" : "breaks-callers")];
}

/** Compares enumerations. A caller sends the values of requests, and must know the values of responses. */
function compareValues(ours: Shape, theirs: Shape, pair: Pair): Difference[] {
  const { values } = theirs;
  if (!ours.values || !theirs.types) return [];
  const isRequest = pair.direction === "request";
  if (!values) return isRequest ? [] : [createDifference(pair, "removed", "has no list of values", "absent")];
  const expectedRuleValues = [...(ours.ruleValues ?? ours.values)];
  const contradicts = !isRequest && ours.ruleValues !== null && !expectedRuleValues.some((value) => values.has(value));
  const impact = isRequest ? "breaks-callers" : contradicts ? "contradicts-contract" : "absent";
  const missingDifferences = expectedRuleValues
    .filter((value) => value !== null && !values.has(value))
    .map((value) => createDifference(pair, "removed", `the value ${JSON.stringify(value)} is gone`, impact));
  const addedValues = [...values].filter((value) => !isRequest && value !== null && !ours.values?.has(value));
  return [
    ...(contradicts
      ? missingDifferences.map((difference) => ({
          ...difference,
          cause: `${pair.part}: a value that the contract requires is gone`,
        }))
      : missingDifferences),
    ...addedValues.map((value) => createDifference(pair, "added", `the value ${JSON.stringify(value)} is new`)),
  ];
}

function compareProperties(ours: Shape, theirs: Shape, pair: Pair, documents: Documents): Difference[] {
  const isResponse = pair.direction === "answer";
  const added = [...theirs.properties.keys()].filter((name) => !ours.properties.has(name));
  const differences: Difference[] = [];
  const renamed = new Set<string>();
  for (const [name, schema] of ours.properties) {
    const place = createChildPair(pair, `/${name}`);
    const other = theirs.properties.get(name);
    if (other) {
      differences.push(...compareSchemas({ ...place, ours: schema, theirs: other }, documents));
      differences.push(...compareRequired(name, schema, ours, theirs, place));
    } else if (!("x-assumed" in schema) && theirs.types !== null) {
      const next = findOnlyCandidate(added.filter((one) => haveSameValues(schema, theirs.properties.get(one), documents)));
      if (next) renamed.add(next);
      const impact = isResponse && !ours.required.has(name) ? "absent" : "breaks-callers";
      differences.push(
        next
          ? createDifference(place, "renamed", `is gone; "${next}" may be its new name`, impact)
          : createDifference(place, "removed", "is gone", impact),
      );
    }
  }
  const isFree = [...ours.properties.values()].some((schema) => "x-assumed" in schema);
  if (isResponse || isFree) return differences;
  const demanded = added.filter((name) => theirs.required.has(name) && !renamed.has(name));
  return [
    ...differences,
    ...demanded.map((name) => createDifference(createChildPair(pair, `/${name}`), "required", "is new and required")),
  ];
}

/**
 * Compares whether a field is required. A required field of a response must stay required; an optional field of a request must
 * stay optional.
 */
function compareRequired(
  name: string,
  schema: Json,
  ours: Shape,
  theirs: Shape,
  place: Omit<Pair, "ours" | "theirs">,
): Difference[] {
  if ("x-assumed" in schema || ours.required.has(name) === theirs.required.has(name)) return [];
  if (place.direction === "answer" && ours.required.has(name))
    return [createDifference(place, "required", "may be missing, was always there")];
  if (place.direction === "request" && theirs.required.has(name))
    return [createDifference(place, "required", "is required, was optional")];
  return [];
}

function haveSameValues(ours: unknown, theirs: unknown, documents: Documents): boolean {
  const summary = ({ types, values }: Shape) => JSON.stringify([types && [...types].sort(), values && [...values]]);
  return summary(computeShape(ours, documents.ours)) === summary(computeShape(theirs, documents.theirs));
}
