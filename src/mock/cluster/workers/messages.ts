import type { HostName } from "../../http/host-names.js";
import type { MockOptions } from "../../worlds/options.js";
import type { WorkerPart } from "./join.js";

/** The start message of a worker. */
export interface WorkerStart extends Omit<WorkerPart, "onWorld" | "onOpen"> {
  /** The options without the ports, which only the front uses. */
  options: MockOptions;
  store: string | undefined;
  /** Whether the worker prints a line for each call. */
  shows: boolean;
  exportOnExit: string | undefined;
}

/**
 * A message of the front to a worker. The connection goes with `take`. After `until`, in milliseconds of `getSystemMs`, the worker must ignore
 * it: the front gives the connection to another worker. A `ping` is answered with a `pong`.
 */
export type FrontMessage =
  | { start: WorkerStart }
  | { meet: (number | null)[] }
  | { take: HostName; head: string; number: number; until?: number }
  | { ping: true }
  | { end: true };

/** A message of a worker to the front process. `ready` is the information for the user. */
export type WorkerMessage =
  | { ready: object; port: number }
  | { problem: string; unreachable?: true }
  | { took: number }
  | { pong: true }
  | { created: string }
  | { removed: string };

/** Returns the milliseconds of a clock that all processes of this machine share and that is never set. */
export function getSystemMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
