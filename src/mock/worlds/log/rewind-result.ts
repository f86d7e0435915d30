/** Where a world stands that was taken back. */
export interface RewindResult {
  now: string;
  /** How many entries of its log are left, and how many were dropped. */
  entries: number;
  dropped: number;
  /** How many calls its journal counts. */
  calls: number;
}
