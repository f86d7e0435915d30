/** The state of early refusals. It keeps them consistent: a client that waits as the answer says is served. */
export interface Refusals {
  /** Calls that are not refused, by who was: a workspace for its spending, a credential for an outage. */
  spared: Map<string, number>;
  /** Until when the hourly ceiling of a workspace is reached. */
  closed: Map<string, number>;
}
