import type { Problem } from "../../common/problem.js";
import type { WorldConfiguration, WorldEntry } from "../worlds/worlds.js";

/** Several mocks that share their worlds through a store. One mock at a time owns a world. */
export interface Cluster {
  /** Returns the name of the world that a credential names, if this world exists; otherwise the name of the default world. */
  nameOf(named: string): string | Promise<string>;
  /** Returns the world if this mock owns it and it accepts calls. */
  owned(name: string): WorldEntry | undefined;
  /**
   * Acquires a world. Returns false if the world does not exist. Rejects if another mock keeps the world, and stops when the client
   * disconnects.
   */
  acquire(name: string, isGone: () => boolean): Promise<boolean>;
  /** Creates a world, or returns a problem. */
  create(configuration: WorldConfiguration, id?: string): Promise<WorldEntry | (Problem & { status?: number })>;
  /** Resolves when all changes of a world are persisted and this mock still owns it. */
  confirm(worldEntry: WorldEntry): Promise<unknown>;
  remove(worldEntry: WorldEntry): Promise<unknown>;
  /** Deletes a world whose data cannot be read. Rejects while another mock owns it. */
  discard(name: string): Promise<void>;
  /** Returns the names of all worlds. */
  list(): Promise<string[]>;
  /** Releases every world. */
  close(): Promise<void>;
}
