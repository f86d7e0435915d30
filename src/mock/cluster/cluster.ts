import type { Problem } from "../input/problems.js";
import type { WorldConfiguration, WorldEntry } from "../worlds/worlds.js";

/** Several mocks that share their worlds by way of a store: each world is in the hands of one of them at a time. */
export interface Cluster {
  /** What a world is called that a credential names: itself when there is one, the default one otherwise. */
  nameOf(named: string): string | Promise<string>;
  /** The world, when it is in these hands and free to be called. */
  owned(name: string): WorldEntry | undefined;
  /** Acquires a world; false when there is none. Rejects when it cannot be had now, and gives up when the client has gone. */
  acquire(name: string, isGone: () => boolean): Promise<boolean>;
  /** Founds one more, or says why not. */
  create(configuration: WorldConfiguration, id?: string): Promise<WorldEntry | (Problem & { status?: number })>;
  /** Fulfilled when all that happened to a world is kept and it is still in these hands. */
  confirm(worldEntry: WorldEntry): Promise<unknown>;
  remove(worldEntry: WorldEntry): Promise<unknown>;
  /** The names of all worlds. */
  list(): Promise<string[]>;
  /** Lets go of every world. */
  close(): Promise<void>;
}
