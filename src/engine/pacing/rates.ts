import type { Exchange } from "../http/exchange.js";

/** A rate limit, by the name that a plan shows. */
export interface Bucket {
  name: string;
  /** Requests a minute. */
  rpm: number;
}

/** The parts of a request that decide which buckets it counts against. */
export interface RatedRequest {
  method: string;
  /** The path, with or without origin and query. */
  path: string;
  /** Whether the request goes to the tool server. */
  tool: boolean;
  /** The purpose of the tool that the request calls, or the tool's name if it has no purpose. */
  purpose?: string;
}

/** The rate limits of one contract. */
export interface RateRules {
  /** Returns the buckets that a request counts against, for a key with this ceiling. */
  bucketsOf(request: RatedRequest, ceiling: number): readonly Bucket[];
  /** Returns the requests a minute that the key of a role allows in all; without a role, the smallest ceiling of any key. */
  ceilingOf(role?: string): number;
  /** Returns the ceilings of keys that an exchange created, by the text that may be the key. */
  ceilingsMadeBy(exchange: Exchange): ReadonlyMap<string, number>;
}
