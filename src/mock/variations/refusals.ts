/** The state of early refusals. It keeps them consistent: a client that waits for the time in the response is served. */
export interface Refusals {
  /** Number of calls that are not refused, by subject: a workspace for its spending, a credential for an outage. */
  spared: Map<string, number>;
  /** Until when the hourly ceiling of a workspace is reached. */
  closed: Map<string, number>;
}
