/** What one thing of a target file turned out to be. */
export interface EntryCheck {
  /** As the file names it. */
  thing: string;
  state: "works" | "wrong" | "unclear" | "not tried";
  /** How that was seen, or what to do. */
  says: string;
}
