import type { Ledger } from "../scenario/lint.js";

/** The clauses and sections of a contract, in the order in which reports show them. */
export interface Outline {
  clauses: Ledger;
  /** Titles of the contract's sections in order. The `section` of a clause counts them from 1. */
  sections: readonly string[];
  /** Surfaces of the service, such as `rest` and `mcp`. */
  surfaces: readonly string[];
}
