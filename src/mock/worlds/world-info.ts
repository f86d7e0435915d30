/** The facts that a client of a world needs. */
export interface WorldInfo<Key extends string = string, Session extends string = string> {
  id: string;
  /** Bearer keys by role. */
  keys: Record<Key, string>;
  /** Cookie headers by role, for the app host. */
  sessions: Record<Session, string>;
  /** Repositories of the first workspace as `owner/repo/branch`. */
  repos: string[];
}
