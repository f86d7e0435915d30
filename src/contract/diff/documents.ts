import { contract } from "../load.js";
import { routes } from "../routes.js";
import type { RouteName } from "../types.js";
import type { Difference } from "./difference.js";
import { compareOperations, findRenamed, type ListedOperation, listOperations } from "./operations.js";
import { isJson, type Json } from "./shape.js";

/**
 * Finds the differences of a published OpenAPI document: removed, renamed, retyped or newly required parts, new values in responses,
 * and missing or wrong rate limits. Other additions are compatible (Versioning, rule 1), and so is any choice where the contract shows nothing.
 */
export function compareDocuments(theirs: Json): Difference[] {
  const documents = { ours: contract.openapi as unknown as Json, theirs };
  const published = new Map(listOperations(theirs).map((listedOperation) => [listedOperation.steps.join("/"), listedOperation]));
  const ours = listOperations(documents.ours);
  const known = new Set(ours.map(({ steps }) => steps.join("/")));
  const listedOperations = [...published].filter(([key]) => !known.has(key)).map(([, one]) => one);
  return ours.flatMap((operation) => {
    const listedOperation = published.get(operation.steps.join("/"));
    return listedOperation
      ? [...compareOperations(operation, listedOperation, documents), ...compareRates(operation, listedOperation)]
      : [createLoss(operation, listedOperations)];
  });
}

function createLoss(operation: ListedOperation, listedOperations: readonly ListedOperation[]): Difference {
  const listedOperation = findRenamed(operation, listedOperations);
  const at = operation.name;
  const common = { at, impact: "breaks-callers" } as const;
  if (!listedOperation) return { ...common, change: "removed", message: "is gone", cause: "an operation is gone" };
  const message = `is gone; ${listedOperation.name} may be its new name`;
  const place = operation.steps.findIndex((step, index) => step !== listedOperation.steps[index]);
  const cause = `${place === 0 ? "method" : "path segment"} ${operation.steps[place]} may be ${listedOperation.steps[place]} now`;
  return { ...common, change: "renamed", message, cause };
}

/** Compares the rate limits. DOCS-RATE-EXTENSION, DOCS-RATE-VALUES, DOCS-RATE-NONE. */
function compareRates({ name }: ListedOperation, theirs: ListedOperation): Difference[] {
  const { bucket } = routes[name as RouteName];
  const expected = bucket === null ? undefined : contract.limits.buckets[bucket].rpm;
  const extension = theirs.operation["x-rate-limit"];
  const rpm = isJson(extension) ? extension.rpm : undefined;
  const found = (message: string, cause: string): Difference[] => [
    {
      at: `${name} x-rate-limit`,
      change: "rate-limit",
      impact: "contradicts-contract",
      message,
      cause: `x-rate-limit: ${cause}`,
    },
  ];
  if (expected === undefined)
    return extension === undefined
      ? []
      : found("is given, but this operation has no path bucket", "is given without a path bucket (DOCS-RATE-NONE)");
  if (extension === undefined) return found(`is missing, rpm was ${expected}`, "is missing (DOCS-RATE-EXTENSION)");
  return rpm === expected
    ? []
    : found(`rpm is ${JSON.stringify(rpm) ?? "not given"}, was ${expected}`, "has another rpm (DOCS-RATE-VALUES)");
}
