import { contract } from "../../contract/load.js";
import { routes } from "../../contract/routes.js";
import type { BucketName, RouteName } from "../../contract/types.js";
import { readBucketLevels } from "../../service/limits/buckets.js";
import type { Key, RateWindow, World } from "../../service/world/world.js";
import type { MeterLevel } from "../journal/journal.js";

/** The levels of all limits of a key. */
export interface KeyMeters {
  /** Every bucket that a request of the key can draw on; none if limits are off. */
  buckets: (MeterLevel & { frees_at: string | null })[];
  /** The hourly ceiling of the key in dollars; null without a ceiling. */
  dollars: { per_hour: number; spent: number } | null;
}

const rateMs = contract.limits.windows.rate_seconds * 1000;
const spendMs = contract.limits.windows.spend_seconds * 1000;

/** One route of each bucket. A call to it counts in the bucket. */
const bucketRoute = new Map<BucketName, RouteName>(
  Object.values(routes).flatMap(({ bucket, name }) => (bucket === null ? [] : [[bucket, name] as const])),
);

/** Reads the current levels of a key's buckets, and when the oldest counted request of each bucket expires. */
export function readKeyMeters(world: World, key: Key): KeyMeters {
  const levels = [
    ...[...bucketRoute.values()].flatMap((route) => readBucketLevels(world, key, "rest", route)),
    ...readBucketLevels(world, key, "mcp", null),
  ];
  const byName = new Map(levels.map((level) => [level.bucket, level]));
  return {
    buckets: [...byName.values()].map((level) => ({
      ...level,
      frees_at: findRefillTime(world, level.used, world.rates[key.id]?.[level.bucket]),
    })),
    dollars: key.dollars_per_hour === null ? null : { per_hour: key.dollars_per_hour, spent: readSpend(world, key) },
  };
}

function findRefillTime({ options }: World, used: number, window: RateWindow | undefined): string | null {
  if (!window || used === 0) return null;
  switch (options.rate_window) {
    case "fixed":
      return new Date(window.since + rateMs).toISOString();
    case "sliding":
      return new Date((window.passed.at(-used) ?? window.since) + rateMs).toISOString();
    case "token_bucket":
      return null; // it refills continuously
    default:
      return options.rate_window satisfies never;
  }
}

function readSpend({ spend, now }: World, { id }: Key): number {
  const window = spend[id];
  return window && now < window.since + spendMs ? window.spent_usd : 0;
}
