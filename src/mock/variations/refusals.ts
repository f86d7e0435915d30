/** What is remembered of early refusals, so that they hold together and whoever waits as told is served. */
export interface Refusals {
  /** Calls that are not refused, by who was: a workspace for its spending, a credential for an outage. */
  spared: Map<string, number>;
  /** Until when the hourly ceiling of a workspace is reached. */
  closed: Map<string, number>;
}
