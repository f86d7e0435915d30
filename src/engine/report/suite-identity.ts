import type { Profile } from "../scenario/effects.js";

/** Which suite judged: its version, digests (sha256) of its clauses and of the scenarios that were read, how good it is. */
export interface SuiteIdentity {
  version: string;
  clauses_digest: string;
  scenarios_digest: string;
  /** Absent where the quality of this state of the suite was not measured. */
  quality?: SuiteQuality;
}

/** What a target offers beside the contract: worlds, a clock and every event (`all-hooks`), or none of them (`no-hooks`). All else is the same. */
export type Hooks = "all-hooks" | "no-hooks";

/** How good the suite is: the mutants that it kills in each kind of run, and the conforming servers that it flags. */
export interface SuiteQuality {
  rates: KillRate[];
  conforming: ConformingServers;
  /** Clauses that bind a server, how many of them a mutant breaks, and how many no mutant can break, as the ledger says. */
  clauses: number;
  clauses_broken: number;
  clauses_excused: number;
  operators?: OperatorQuality;
}

/** How mutants ended. A timeout, a crash and an inconclusive run are no verdict, so they are counted apart. */
export interface Ends {
  killed_by_verdict: number;
  timeout: number;
  crash: number;
  inconclusive: number;
}

/** How mutants ended in one kind of run; those that are in no count survived. */
export interface KillRate extends Ends {
  profile: Profile;
  hooks: Hooks;
  /** How many mutants were drawn, of how many, and the seed of the draw and of the cases. */
  drawn: number;
  mutants_in_all: number;
  seed: number;
  /** Cases of each property. */
  cases: number;
  /** Longest single wait (seconds), where it was shorter than a run waits by default. */
  max_wait_s?: number;
  /** Of `killed_by_verdict`: those that fail the clause that they break. */
  killed_by_own_clause: number;
}

/** Servers that keep the contract, each in another way, and how many of them the suite flagged. */
export interface ConformingServers {
  servers: number;
  flagged: number;
  /** Which part of the suite each server met. */
  part: "whole" | "quarter";
  cases: number;
  seed: number;
}

/** How the mutants ended that were made of a server's code by exchanging operators, conditions and blocks. */
export interface OperatorQuality extends Ends {
  mutants: number;
  /** Of these: in files that are no part of the contract; and in functions and lines of other files that are no part of it. */
  in_other_files: number;
  in_other_lines: number;
  /** How many of the rest were drawn, and the seed of the draw and of the cases. */
  drawn: number;
  seed: number;
  /** Of those drawn, that were not killed: with a reason why they need not be, and without one. */
  equivalent: number;
  open: number;
  outside: number;
  unexplained: number;
}
