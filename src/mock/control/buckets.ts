import { describeUnknownName, type Problem } from "../../common/problem.js";
import { contract } from "../../contract/load.js";
import { findRow, readRow } from "../../service/world/lookups.js";
import type { Key, World } from "../../service/world/world.js";
import { createClosedObject, type Endpoint, showEndpoint } from "./endpoint.js";
import type { BucketLevel, BucketPreset } from "./meters.js";

const windowMs = contract.limits.windows.rate_seconds * 1000;

/** The endpoints that read rate buckets and set how much of a bucket is used. */
export const meterEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/buckets",
    description: "Returns the used part of each key's rate buckets, and what was spent.",
    status: 200,
    run: ({ worldEntry }) => ({ status: 200, body: { rates: worldEntry.world.rates, spend: worldEntry.world.spend } }),
  },
  {
    on: "PUT /worlds/{id}/buckets",
    description: "Begins a window of a key's bucket now, with this many used requests. `all` drains the bucket.",
    status: 200,
    examples: () => ({
      "drain a bucket": { key: "key_full", bucket: "submit", used: "all" },
      "leave room for one request": { key: "key_full", bucket: "plan", used: 2999 },
    }),
    body: createClosedObject(
      {
        key: { type: "string" },
        bucket: { type: "string" },
        used: { anyOf: [{ type: "integer", minimum: 0 }, { const: "all" }] },
      },
      ["key", "bucket", "used"],
    ),
    run: ({ worldEntry, body }) => showEndpoint(preset(worldEntry.world, body as BucketPreset)),
  },
];

/** Begins a window of a key's bucket now, with this many used requests. `all` drains the bucket. */
function preset(world: World, { key: id, bucket, used }: BucketPreset): BucketLevel | Problem {
  const key = findRow(world.keys, id);
  if (!key) return { ...describeUnknownName("key", id, Object.keys(world.keys)), field: "key" };
  const sizes = readSizes(world, key);
  const size = sizes.get(bucket);
  if (size === undefined) return { ...describeUnknownName("bucket of this key", bucket, [...sizes.keys()]), field: "bucket" };
  const count = used === "all" ? size : Math.min(used, size);
  const window = {
    since: world.now,
    used: count,
    tokens: (size - count) * windowMs,
    passed: Array<number>(count).fill(world.now),
  };
  world.rates[id] = { ...world.rates[id], [bucket]: window };
  return { key: id, bucket, requests_per_minute: size, used: count };
}

/** Returns every bucket of a key, with its limit of requests per minute. */
function readSizes(world: World, key: Key): Map<string, number> {
  const { plans, mcp, buckets } = contract.limits;
  const sizes = new Map([
    ["plan", plans[readRow(world.workspaces, key.workspace).plan].requests_per_minute],
    ["mcp", mcp.requests_per_minute],
  ]);
  if (key.requests_per_minute !== null) sizes.set("key", key.requests_per_minute);
  for (const [name, { rpm }] of Object.entries(buckets)) sizes.set(name, rpm);
  return sizes;
}
