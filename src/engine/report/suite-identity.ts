/** Which suite judged: its version, digests (sha256) of its clauses and of the scenarios that were read, how good it is. */
export interface SuiteIdentity {
  version: string;
  clauses_digest: string;
  scenarios_digest: string;
  quality?: SuiteQuality;
}

/** How good the suite is: what it finds in servers with one fault each, and what it holds against servers that keep the contract. */
export interface SuiteQuality {
  mutants: number;
  /** Of how many they were drawn, where not all were examined. */
  mutants_in_all?: number;
  killed: number;
  /** Killed by the clause that they break. */
  killed_by_own_clause: number;
  /** Servers that keep the contract in another way. */
  legal_variants: number;
  /** Of these, how many the suite held something against. */
  flagged: number;
  /** Clauses that bind a server, how many of them some mutant breaks, and how many no mutant can break, as the ledger says. */
  clauses: number;
  clauses_broken: number;
  clauses_excused: number;
  operators?: OperatorQuality;
  /** Whether it was measured on this very state of all that it depends on. */
  current: boolean;
}

/** What became of the mutants that were made of a server's code by exchanging operators, conditions and blocks. */
export interface OperatorQuality {
  /** All there are, and of these, how many lie in files that are no part of the contract. */
  mutants: number;
  excluded: number;
  /** How many of the rest were drawn, where not all were examined. */
  examined?: number;
  /** Of these: that the suite found; and that it did not, with and without a reason why it need not. */
  found: number;
  equivalent: number;
  open: number;
  outside: number;
  unexplained: number;
}
