import { type Exchange, requestJson } from "../engine/http/exchange.js";
import type { Bucket, RatedRequest, RateRules } from "../engine/pacing/rates.js";
import { isRecord } from "../engine/scenario/interpolate.js";
import { answers } from "./answers.js";
import { keyBudgets, pathBuckets, toolRate } from "./statements/buckets.js";
import { type Operation, operationAt } from "./statements/operations.js";
import { roles } from "./statements/roles.js";
import { isToolPurpose, toolText } from "./statements/tools.js";

/** Which rates requests count against. BUCKET-ADDITIONAL. */
export const rates: RateRules = { bucketsOf, ceilingOf, ceilingsMadeBy };

/** The budget of a key whose own ceiling is not known: its plan is not shown, so the smaller one. BUDGET-FREE. */
const KEY_BUDGET: number = keyBudgets.free.rpm;

/**
 * The key's budget, and its route's bucket or the rate of the tools. Whether a tool that does what a route does draws on the bucket of that route
 * too is not said, so it may.
 */
function bucketsOf({ method, path, tool, purpose = "" }: RatedRequest, ceiling: number): Bucket[] {
  const own = { name: "all requests of a key", rpm: ceiling };
  if (!tool) return [own, ...bucketOf(operationAt(method, path))];
  const text = isToolPurpose(purpose) ? toolText(purpose) : undefined;
  return [own, { name: "tool calls of a key", rpm: toolRate.rpm }, ...bucketOf(text && "route" in text ? text.route : undefined)];
}

function bucketOf(operation: Operation | undefined): Bucket[] {
  const bucket = Object.values(pathBuckets).find(({ operations }) => operations.some((name) => name === operation));
  return bucket ? [{ name: bucket.operations.join(", "), rpm: bucket.rpm }] : [];
}

function ceilingOf(role?: string): number {
  return (role !== undefined && roles[role]?.rpm) || KEY_BUDGET;
}

/** KEY-FIELD-RPM: a key is made with its ceiling. */
function ceilingsMadeBy(exchange: Exchange): ReadonlyMap<string, number> {
  const keys = answers.secretsIn(exchange);
  const body = keys.length > 0 ? requestJson(exchange.request) : undefined;
  const rpm = isRecord(body) ? body.requests_per_minute : undefined;
  return new Map(typeof rpm === "number" ? keys.map((key) => [key, Math.min(rpm, KEY_BUDGET)]) : []);
}
