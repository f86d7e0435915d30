import type { ClauseId } from "../contract/types.js";
import type { Call } from "./exchange.js";
import type { Memory } from "./memory.js";

/** How serious a finding is: the contract forbids the call, or recommends a better way. */
export type Severity = "forbidden" | "discouraged";

/** One requirement that the contract makes of a client. */
export interface Rule {
  id: string;
  /** The rows of the ledger that state it. */
  clauses: ClauseId[];
  severity: Severity;
  /** What is wrong, why, and what to do instead. */
  says: string;
  /** Whether it is about what the client sends along: the most frequent call, a read without a query, then skips it. */
  ofInput?: true;
  /** Compares one call with the earlier ones. */
  check(call: Call, memory: Memory): RuleResult;
  /** Keeps what it needs to know of this call for later ones. */
  learn?(call: Call, memory: Memory): void;
}

/**
 * The call breaks the rule, and why; the call keeps a rule that it could have broken; or the rule does not apply. `clause`, and the value of
 * `kept`, is the one clause of several that the call shows something about.
 */
export type RuleResult = { broken: string; clause?: ClauseId } | { kept: ClauseId } | "kept" | null;
