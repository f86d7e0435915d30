import type { VerifyOptions } from "../engine/run/options.js";

/** The options of `describeConformance`: those of `verify` that select the server and the suite. */
export interface ConformanceOptions
  extends Pick<
    VerifyOptions,
    "target" | "key" | "profile" | "claim" | "only" | "surface" | "shard" | "scenarios" | "budgetPaid" | "maxWait" | "env"
  > {
  /** Address of the API host, or a function that returns it, called before the first scenario. */
  url?: string | (() => string | Promise<string>);
  /** Title of the suite. Default `conformance`. */
  title?: string;
  /** Longest time for one scenario in seconds. Default 300. */
  timeout?: number;
}
