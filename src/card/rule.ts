import type { ClauseId } from "../contract/types.js";
import type { Act } from "./exchange.js";
import type { Memory } from "./memory.js";

/** How much a remark weighs: the contract says that it must not be, or that there is a better way. */
export type Severity = "forbidden" | "discouraged";

/** One thing that the contract asks of a client. */
export interface Rule {
  id: string;
  /** The rows of the ledger that say so. */
  clauses: ClauseId[];
  severity: Severity;
  /** What, why, and what to do instead. */
  says: string;
  /** Whether it is about what is sent along: then a read without a query, the most frequent act of all, is not shown to it. */
  ofInput?: true;
  /** Holds one act against what came before it. */
  check(act: Act, memory: Memory): Finding;
  /** Keeps what it needs to know of the acts that follow. */
  learn?(act: Act, memory: Memory): void;
}

/** Why a rule was broken; that it was kept where it could have been broken; or that it was not asked. */
export type Finding = { broken: string } | "kept" | null;
