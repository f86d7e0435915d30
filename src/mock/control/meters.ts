import type { World } from "../../service/world/world.js";

/** The new level of a bucket. `all` drains it. The key is named by its id, `key_` and its role. */
export interface BucketPreset {
  key: string;
  bucket: string;
  used: number | "all";
}

/** The level of a bucket after it was set. */
export interface BucketLevel {
  key: string;
  bucket: string;
  requests_per_minute: number;
  used: number;
}

/** The used part of each rate bucket and of the hourly dollars, by key of a world. */
export type Meters = Pick<World, "rates" | "spend">;
