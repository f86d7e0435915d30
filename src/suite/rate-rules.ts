import { type Exchange, parseRequestJson } from "../engine/http/exchange.js";
import type { Bucket, RatedRequest, RateRules } from "../engine/pacing/rates.js";
import { isRecord } from "../engine/scenario/interpolate.js";
import { responses } from "./response-rules.js";
import { keyBudgets, pathBuckets, toolRate } from "./statements/buckets.js";
import { findOperationAt, type Operation } from "./statements/operations.js";
import { roles } from "./statements/roles.js";
import { findToolStatement, isToolPurpose } from "./statements/tools.js";

/** States which rate limits a request counts against. BUCKET-ADDITIONAL. */
export const rates: RateRules = { bucketsOf: listBuckets, ceilingOf: readCeiling, ceilingsMadeBy: listNewCeilings };

/** Budget of a key whose plan is unknown: the smaller one, of the Free plan. BUDGET-FREE. */
const KEY_BUDGET: number = keyBudgets.free.rpm;

/**
 * Returns the limits that a request counts against: the key's budget, and the route's bucket or the rate of the tool server. Whether a tool call
 * also counts against the bucket of its route is open, so it is included.
 */
function listBuckets({ method, path, tool, purpose = "" }: RatedRequest, ceiling: number): Bucket[] {
  const own = { name: "all requests of a key", rpm: ceiling };
  if (!tool) return [own, ...listOperationBucket(findOperationAt(method, path))];
  const text = isToolPurpose(purpose) ? findToolStatement(purpose) : undefined;
  return [
    own,
    { name: "tool calls of a key", rpm: toolRate.rpm },
    ...listOperationBucket(text && "route" in text ? text.route : undefined),
  ];
}

function listOperationBucket(operation: Operation | undefined): Bucket[] {
  const bucket = Object.values(pathBuckets).find(({ operations }) => operations.some((name) => name === operation));
  return bucket ? [{ name: bucket.operations.join(", "), rpm: bucket.rpm }] : [];
}

function readCeiling(role?: string): number {
  return (role !== undefined && roles[role]?.rpm) || KEY_BUDGET;
}

/** Returns the ceilings of keys that an exchange created. KEY-FIELD-RPM: the request states the ceiling. */
function listNewCeilings(exchange: Exchange): ReadonlyMap<string, number> {
  const keys = responses.secretsIn(exchange);
  const body = keys.length > 0 ? parseRequestJson(exchange.request) : undefined;
  const rpm = isRecord(body) ? body.requests_per_minute : undefined;
  return new Map(typeof rpm === "number" ? keys.map((key) => [key, Math.min(rpm, KEY_BUDGET)]) : []);
}
