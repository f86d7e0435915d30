import { contract } from "../load.js";
import { routes } from "../routes.js";
import type { RouteName } from "../types.js";
import { compareOperations, findRenamed, type ListedOperation, operationsOf } from "./operations.js";
import type { Difference } from "./schemas.js";
import { isJson, type Json } from "./shape.js";

/**
 * Finds the breaking changes of a published OpenAPI document: removed, renamed, retyped or newly required parts, and missing or
 * wrong rate limits. Additions are compatible (Versioning, rule 1), and so is any choice where the contract shows nothing.
 */
export function compareDocuments(theirs: Json): Difference[] {
  const documents = { ours: contract.openapi as unknown as Json, theirs };
  const published = new Map(operationsOf(theirs).map((one) => [one.steps.join("/"), one]));
  const ours = operationsOf(documents.ours);
  const known = new Set(ours.map(({ steps }) => steps.join("/")));
  const added = [...published].filter(([key]) => !known.has(key)).map(([, one]) => one);
  return ours.flatMap((operation) => {
    const other = published.get(operation.steps.join("/"));
    return other
      ? [...compareOperations(operation, other, documents), ...compareRates(operation, other)]
      : [lossOf(operation, added)];
  });
}

function lossOf(operation: ListedOperation, added: readonly ListedOperation[]): Difference {
  const renamed = findRenamed(operation, added);
  const at = operation.name;
  return renamed
    ? { at, change: "renamed", message: `is gone; ${renamed.name} may be its new name` }
    : { at, change: "removed", message: "is gone" };
}

/** Compares the rate limits. DOCS-RATE-EXTENSION, DOCS-RATE-VALUES, DOCS-RATE-NONE. */
function compareRates({ name }: ListedOperation, theirs: ListedOperation): Difference[] {
  const { bucket } = routes[name as RouteName];
  const expected = bucket === null ? undefined : contract.limits.buckets[bucket].rpm;
  const extension = theirs.operation["x-rate-limit"];
  const rpm = isJson(extension) ? extension.rpm : undefined;
  const at = `${name} x-rate-limit`;
  if (expected === undefined)
    return extension === undefined
      ? []
      : [{ at, change: "rate-limit", message: "is given, but this operation has no path bucket" }];
  if (extension === undefined) return [{ at, change: "rate-limit", message: `is missing, rpm was ${expected}` }];
  return rpm === expected
    ? []
    : [{ at, change: "rate-limit", message: `rpm is ${JSON.stringify(rpm) ?? "not given"}, was ${expected}` }];
}
