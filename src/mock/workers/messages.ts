import type { HostName } from "../host-names.js";
import type { MockOptions } from "../options.js";
import type { WorkerPart } from "./join.js";

/** What a worker is started with. */
export interface WorkerStart extends Omit<WorkerPart, "onWorld" | "onOpen"> {
  /** Without what the front keeps to itself: the ports. */
  options: MockOptions;
  store: string | undefined;
  /** Whether it prints a line for each call. */
  shows: boolean;
  exportOnExit: string | undefined;
}

/** What the front says to a worker. With `take` goes the connection. */
export type FrontMessage =
  | { start: WorkerStart }
  | { meet: (number | null)[] }
  | { take: HostName; head: string; number: number }
  | { end: true };

/** What a worker says to the front. `ready` is what a user is told of the mock. */
export type WorkerMessage =
  | { ready: object; port: number }
  | { problem: string; unreachable?: true }
  | { took: number }
  | { founded: string }
  | { removed: string };
