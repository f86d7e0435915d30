import type { TallyData } from "../card/tally.js";
import type { WorldOptions } from "./options.js";
import type { Problem } from "./problems.js";

/** What came of founding a world, as the control plane answers. */
export type FoundingReply = { status: number; body?: unknown } | (Problem & { status?: number });

/** The other workers of a mock that is several processes, each with worlds of its own. */
export interface Siblings {
  /** The names of the worlds of all, its own included. */
  list(): Promise<string[]>;
  /** What the clients of the other workers' worlds did. Rejects when a worker does not answer: its calls must not be missing unnoticed. */
  clientTallies(): Promise<TallyData[]>;
  /** Has the other workers begin their client reports anew. */
  forgetClients(): Promise<void>;
  /** Founds a world where it belongs; `here` does so in this process, by the name that it is given. */
  found(wishes: WorldOptions, here: (named: WorldOptions) => Promise<FoundingReply>): Promise<FoundingReply>;
}
