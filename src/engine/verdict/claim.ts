/** The claim by which a run is judged. */
export interface Claim {
  /** Its content, for people: `edition 1.0.0`, `§8 Limits`. */
  names: readonly string[];
  /** The claimed clauses. */
  clauses: readonly string[];
  /** Number of clauses of the contract that a server can be tested for. */
  total: number;
  /** The claimed edition of the suite. */
  edition?: string;
}

/** Formats a claim with its share of the contract: `§8 Limits (31 of 418 clauses)`. */
export function formatClaim({ names, clauses, total }: Claim): string {
  return `${names.join(", ")} (${clauses.length} of ${total} clauses)`;
}
