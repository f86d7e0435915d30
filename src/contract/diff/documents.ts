import { contract } from "../load.js";
import { routes } from "../routes.js";
import type { RouteName } from "../types.js";
import { compareOperations, heirOf, type OperationOf, operationsOf } from "./operations.js";
import type { Difference } from "./schemas.js";
import { isJson, type Json } from "./shape.js";

/**
 * How a published OpenAPI document breaks those who rely on the contract: what is gone, renamed, of another type, or newly required, and
 * rate limits that are lost or wrong. What is added is fine (Versioning, rule 1), and so is any choice where the contract shows nothing.
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
      : [lost(operation, added)];
  });
}

function lost(operation: OperationOf, added: readonly OperationOf[]): Difference {
  const heir = heirOf(operation, added);
  const at = operation.name;
  return heir
    ? { at, change: "renamed", says: `is gone; ${heir.name} may be its new name` }
    : { at, change: "removed", says: "is gone" };
}

/** DOCS-RATE-EXTENSION, DOCS-RATE-VALUES, DOCS-RATE-NONE. */
function compareRates({ name }: OperationOf, theirs: OperationOf): Difference[] {
  const { bucket } = routes[name as RouteName];
  const due = bucket === null ? undefined : contract.limits.buckets[bucket].rpm;
  const mark = theirs.operation["x-rate-limit"];
  const rpm = isJson(mark) ? mark.rpm : undefined;
  const at = `${name} x-rate-limit`;
  if (due === undefined)
    return mark === undefined
      ? []
      : [{ at, change: "rate-limit", says: "is there, and this operation has no bucket of its own" }];
  if (mark === undefined) return [{ at, change: "rate-limit", says: `is lost, rpm was ${due}` }];
  return rpm === due ? [] : [{ at, change: "rate-limit", says: `rpm is ${JSON.stringify(rpm) ?? "not given"}, was ${due}` }];
}
