import type { Profile } from "../scenario/effects.js";

/** The suite that judged a run: its version, SHA-256 digests of its clauses and scenarios, and its measured quality. */
export interface SuiteIdentity {
  version: string;
  clauses_digest: string;
  scenarios_digest: string;
  /** Absent if the quality of this version of the suite was not measured. */
  quality?: SuiteQuality;
}

/** The hooks of a target: worlds, a clock and every event (`all-hooks`), or none of them (`no-hooks`). */
export type Hooks = "all-hooks" | "no-hooks";

/** The measured quality of the suite: the mutants that it kills in each kind of run, and the conforming servers that it flags. */
export interface SuiteQuality {
  rates: KillRate[];
  conforming: ConformingServers;
  /** Number of clauses that bind a server. Below: how many of them a mutant breaks, and how many no mutant can break. */
  clauses: number;
  clauses_broken: number;
  clauses_excused: number;
  operators?: OperatorQuality;
}

/** Number of mutants for each outcome. A timeout, a crash and an inconclusive run are not kills. */
export interface MutantOutcomes {
  killed_by_verdict: number;
  timeout: number;
  crash: number;
  inconclusive: number;
}

/** The outcomes of mutants in one kind of run. Mutants without an outcome survived. */
export interface KillRate extends MutantOutcomes {
  profile: Profile;
  hooks: Hooks;
  /** Number of mutants in the sample. `mutants_in_all`: number of all mutants. `seed`: seed of the sample and of the cases. */
  drawn: number;
  mutants_in_all: number;
  seed: number;
  /** Cases of each property. */
  cases: number;
  /** Longest single wait in seconds, if it was shorter than the default. */
  max_wait_s?: number;
  /** Mutants of `killed_by_verdict` that fail the clause that they break. */
  killed_by_own_clause: number;
}

/** Conforming servers, each with other legal variations, and how many of them the suite flagged. */
export interface ConformingServers {
  servers: number;
  flagged: number;
  /** The part of the suite that ran against each server. */
  part: "whole" | "quarter";
  cases: number;
  seed: number;
}

/** The outcomes of mutants that replace operators, conditions and blocks in a server's code. */
export interface OperatorQuality extends MutantOutcomes {
  mutants: number;
  /** Mutants in files, and in single functions and lines, that do not implement the contract. They are not examined. */
  in_other_files: number;
  in_other_lines: number;
  /** Number of the other mutants in the sample. `seed`: seed of the sample and of the cases. */
  drawn: number;
  seed: number;
  /** Mutants of the sample that were not killed, by reason; `unexplained`: without a reason. */
  equivalent: number;
  open: number;
  outside: number;
  unexplained: number;
}
