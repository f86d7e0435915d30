import type { TallyData } from "../../client-report/tally.js";
import type { Problem } from "../input/problems.js";
import type { WorldOptions } from "../worlds/options.js";

/** What came of configuration a world, as the control plane answers. */
export type CreationReply = { status: number; body?: unknown } | (Problem & { status?: number });

/** The names of the worlds of a mock. */
export interface WorldList {
  worlds: string[];
  /** The numbers of the workers that did not answer, from 1 on: their worlds are missing. Left out where every worker answered. */
  unresponsive_workers?: number[];
}

/** The other workers of a mock that is several processes, each with worlds of its own. */
export interface OtherWorkers {
  /** Lists the worlds of all workers. Waits half a second at most for each of the others, all at once. */
  list(): Promise<WorldList>;
  /** What the clients of the other workers' worlds did. Rejects when a worker does not answer: its calls must not be missing unnoticed. */
  clientTallies(): Promise<TallyData[]>;
  /** Has the other workers begin their client reports anew. */
  forgetClients(): Promise<void>;
  /** Founds a world where it belongs; `here` does so in this process, by the name that it is given. */
  create(wishes: WorldOptions, here: (named: WorldOptions) => Promise<CreationReply>): Promise<CreationReply>;
}
