/** What a user needs to act in a world. */
export interface WorldInfo<Key extends string = string, Session extends string = string> {
  id: string;
  /** Bearer keys by role. */
  keys: Record<Key, string>;
  /** Cookie headers by role, for the app host. */
  sessions: Record<Session, string>;
  /** `owner/repo/branch` of the first workspace's repositories. */
  repos: string[];
}
