import type { World } from "../../service/world/world.js";

/** How much of a key's bucket is to be used; `all` drains it. The key is named by its id, `key_` and its role. */
export interface BucketPreset {
  key: string;
  bucket: string;
  used: number | "all";
}

/** How a bucket stands after it was set. */
export interface BucketLevel {
  key: string;
  bucket: string;
  requests_per_minute: number;
  used: number;
}

/** What the keys of a world have used: of each rate bucket, and of their hourly dollars. */
export type Meters = Pick<World, "rates" | "spend">;
