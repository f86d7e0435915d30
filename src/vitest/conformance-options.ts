import type { VerifyOptions } from "../engine/run/options.js";

/** What `describeConformance` takes: the options of `verify` that say which server, what of the suite, and how. */
export interface ConformanceOptions
  extends Pick<
    VerifyOptions,
    "target" | "key" | "profile" | "only" | "surface" | "shard" | "scenarios" | "budgetPaid" | "maxWait" | "env"
  > {
  /** Address of the API host, or a function that gives it once the server is up; it is called before the first scenario. */
  url?: string | (() => string | Promise<string>);
  /** Title of the suite. Default `conformance`. */
  title?: string;
  /** Longest time for one scenario in seconds. Default 300. */
  timeout?: number;
}
