import type { TallyData } from "../../client-report/tally.js";
import type { Problem } from "../../common/problem.js";
import type { WorldOptions } from "../worlds/options.js";

/** The response of the control plane to the creation of a world. */
export type CreationResponse = { status: number; body?: unknown } | (Problem & { status?: number });

/** The response if a worker does not respond. */
export type Busy = Problem & { status: 503 };

/** The names of the worlds of a mock. */
export interface WorldList {
  worlds: string[];
  /** The numbers of the workers that did not answer, counted from 1. Their worlds are missing. Absent if every worker answered. */
  unresponsive_workers?: number[];
}

/** The other workers of a mock with several processes. Each worker has separate worlds. */
export interface OtherWorkers {
  /** Lists the worlds of all workers. Asks all workers at once and waits at most half a second. */
  list(): Promise<WorldList>;
  /** Returns the client tallies of the other workers' worlds, or a problem if a worker does not answer within 2 s. */
  clientTallies(): Promise<TallyData[] | Busy>;
  /** Resets the client reports of the other workers. Returns a problem if a worker does not answer within 2 s. */
  forgetClients(): Promise<Busy | null>;
  /** Creates a world in the worker that owns its name. `here` creates it in this process under the given name. */
  create(worldOptions: WorldOptions, here: (named: WorldOptions) => Promise<CreationResponse>): Promise<CreationResponse>;
}
