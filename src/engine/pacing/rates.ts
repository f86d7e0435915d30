import type { Exchange } from "../http/exchange.js";

/** A rate that requests count against, by the name that a plan shows. */
export interface Bucket {
  name: string;
  /** Requests a minute. */
  rpm: number;
}

/** As much of a request as its buckets depend on. */
export interface RatedRequest {
  method: string;
  /** The path, with or without what stands before and after it in an address. */
  path: string;
  /** Whether the tool server is asked. */
  tool: boolean;
  /** What the tool that is called is for, else its name. */
  purpose?: string;
}

/** What one contract says of rates. */
export interface RateRules {
  /** What one request of a key with this ceiling counts against. */
  bucketsOf(request: RatedRequest, ceiling: number): readonly Bucket[];
  /** The requests a minute that the key of a role takes in all; without a role, what any key takes at the least. */
  ceilingOf(role?: string): number;
  /** The requests a minute that keys take which an exchange made, by what may be the key. */
  ceilingsMadeBy(exchange: Exchange): ReadonlyMap<string, number>;
}
