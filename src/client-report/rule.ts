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
  /** The mistake, its reason, and the correction. */
  message: string;
  /** Whether the rule needs a query or a body. The rule then skips the most frequent call, a GET without a query. */
  ofInput?: true;
  /** Compares one call with the earlier ones. */
  check(call: Call, memory: Memory): RuleResult;
  /** Remembers what the rule needs of this call for later calls. */
  learn?(call: Call, memory: Memory): void;
}

/**
 * `broken`: the call breaks the rule, with the reason. `passed`: it could have broken the rule and did not. Null: the rule does not apply.
 * `clause`, and the value of `passed`, name the clause when the rule has several and the call concerns one.
 */
export type RuleResult = { broken: string; clause?: ClauseId } | { passed: ClauseId } | "passed" | null;
