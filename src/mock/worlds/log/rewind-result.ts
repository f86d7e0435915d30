/** The state of a world after a rewind. */
export interface RewindResult {
  now: string;
  /** Number of remaining entries in its log, and of dropped entries. */
  entries: number;
  dropped: number;
  /** Number of calls in its journal. */
  calls: number;
}
