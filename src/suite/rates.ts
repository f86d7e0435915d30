import { type Exchange, requestJson } from "../engine/http/exchange.js";
import type { Bucket, RatedRequest, RateRules } from "../engine/pacing/rates.js";
import { isRecord } from "../engine/scenario/interpolate.js";
import { answers } from "./answers.js";
import { keyBudgets, pathBuckets, toolRate } from "./statements/buckets.js";
import { operationAt } from "./statements/operations.js";
import { roles } from "./statements/roles.js";

/** Which rates requests count against. BUCKET-ADDITIONAL. */
export const rates: RateRules = { bucketsOf, ceilingOf, ceilingsMadeBy };

/** The budget of a key whose own ceiling is not known: its plan is not shown, so the smaller one. BUDGET-FREE. */
const KEY_BUDGET: number = keyBudgets.free.rpm;

/** The key's budget, and its route's bucket or the rate of the tools. */
function bucketsOf({ method, path, tool }: RatedRequest, ceiling: number): Bucket[] {
  const own = { name: "all requests of a key", rpm: ceiling };
  if (tool) return [own, { name: "tool calls of a key", rpm: toolRate.rpm }];
  const operation = operationAt(method, path);
  const bucket = Object.values(pathBuckets).find(({ operations }) => operations.some((name) => name === operation));
  return bucket ? [own, { name: bucket.operations.join(", "), rpm: bucket.rpm }] : [own];
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
