import type { Problem } from "../input/problems.js";
import type { Founding, HostedWorld } from "../worlds/worlds.js";

/** Several mocks that share their worlds by way of a store: each world is in the hands of one of them at a time. */
export interface Fleet {
  /** What a world is called that a credential names: itself when there is one, the default one otherwise. */
  nameOf(named: string): string | Promise<string>;
  /** The world, when it is in these hands and free to be called. */
  inHand(name: string): HostedWorld | undefined;
  /** Acquires a world; false when there is none. Rejects when it cannot be had now, and gives up when the client has gone. */
  take(name: string, isGone: () => boolean): Promise<boolean>;
  /** Founds one more, or says why not. */
  found(founding: Founding, id?: string): Promise<HostedWorld | (Problem & { status?: number })>;
  /** Fulfilled when all that happened to a world is kept and it is still in these hands. */
  confirm(hosted: HostedWorld): Promise<unknown>;
  remove(hosted: HostedWorld): Promise<unknown>;
  /** The names of all worlds. */
  list(): Promise<string[]>;
  /** Lets go of every world. */
  close(): Promise<void>;
}
