import type { Ledger } from "../scenario/lint.js";

/** The clauses of a contract, and the order in which reports show them. */
export interface Outline {
  clauses: Ledger;
  /** Titles of the contract's sections, from the first; `section` of a clause counts them from 1. */
  sections: readonly string[];
  /** Where a clause can show. */
  surfaces: readonly string[];
}
