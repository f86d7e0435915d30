import { type Exchange, requestJson } from "../engine/http/exchange.js";
import type { Bucket, RatedRequest, RateRules } from "../engine/pacing/rates.js";
import { isRecord } from "../engine/scenario/interpolate.js";
import { responses } from "./response-rules.js";
import { keyBudgets, pathBuckets, toolRate } from "./statements/buckets.js";
import { type Operation, operationAt } from "./statements/operations.js";
import { roles } from "./statements/roles.js";
import { isToolPurpose, toolStatement } from "./statements/tools.js";

/** States which rate limits a request counts against. BUCKET-ADDITIONAL. */
export const rates: RateRules = { bucketsOf, ceilingOf, ceilingsMadeBy };

/** Budget of a key whose plan is unknown: the smaller one, of the Free plan. BUDGET-FREE. */
const KEY_BUDGET: number = keyBudgets.free.rpm;

/**
 * Returns the limits that a request counts against: the key's budget, and the route's bucket or the rate of the tool server. Whether a tool call
 * also counts against the bucket of its route is open, so it is included.
 */
function bucketsOf({ method, path, tool, purpose = "" }: RatedRequest, ceiling: number): Bucket[] {
  const own = { name: "all requests of a key", rpm: ceiling };
  if (!tool) return [own, ...bucketOf(operationAt(method, path))];
  const text = isToolPurpose(purpose) ? toolStatement(purpose) : undefined;
  return [own, { name: "tool calls of a key", rpm: toolRate.rpm }, ...bucketOf(text && "route" in text ? text.route : undefined)];
}

function bucketOf(operation: Operation | undefined): Bucket[] {
  const bucket = Object.values(pathBuckets).find(({ operations }) => operations.some((name) => name === operation));
  return bucket ? [{ name: bucket.operations.join(", "), rpm: bucket.rpm }] : [];
}

function ceilingOf(role?: string): number {
  return (role !== undefined && roles[role]?.rpm) || KEY_BUDGET;
}

/** Returns the ceilings of keys that an exchange created. KEY-FIELD-RPM: the request states the ceiling. */
function ceilingsMadeBy(exchange: Exchange): ReadonlyMap<string, number> {
  const keys = responses.secretsIn(exchange);
  const body = keys.length > 0 ? requestJson(exchange.request) : undefined;
  const rpm = isRecord(body) ? body.requests_per_minute : undefined;
  return new Map(typeof rpm === "number" ? keys.map((key) => [key, Math.min(rpm, KEY_BUDGET)]) : []);
}
