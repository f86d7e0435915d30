import type { TallyData } from "../../client-report/tally.js";
import type { Problem } from "../input/problems.js";
import type { WorldOptions } from "../worlds/options.js";

/** What came of configuration a world, as the control plane answers. */
export type CreationReply = { status: number; body?: unknown } | (Problem & { status?: number });

/** The answer when a worker does not answer. */
export type Busy = Problem & { status: 503 };

/** The names of the worlds of a mock. */
export interface WorldList {
  worlds: string[];
  /** The numbers of the workers that did not answer, from 1 on: their worlds are missing. Left out where every worker answered. */
  unresponsive_workers?: number[];
}

/** The other workers of a mock with several processes. Each has its own worlds. */
export interface OtherWorkers {
  /** Lists the worlds of all workers. Waits half a second at most for each of the others, all at once. */
  list(): Promise<WorldList>;
  /** Returns what the clients of the other workers' worlds did, or a problem when a worker does not answer within 2 s. */
  clientTallies(): Promise<TallyData[] | Busy>;
  /** Makes the other workers begin their client reports anew. Returns a problem when one does not answer within 2 s. */
  forgetClients(): Promise<Busy | null>;
  /** Founds a world where it belongs; `here` does so in this process, by the name that it is given. */
  create(given: WorldOptions, here: (named: WorldOptions) => Promise<CreationReply>): Promise<CreationReply>;
}
