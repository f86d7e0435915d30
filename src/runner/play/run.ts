import type { Debts, Leftover } from "../debts/debts.js";
import type { Governor } from "../governor.js";
import type { Mask } from "../mask.js";
import type { ServerClock } from "../server-clock.js";
import type { RunCommand } from "../target/hooks.js";
import type { Environment, Target } from "../target/target.js";
import type { Exchange } from "../wire/exchange.js";
import type { Wire } from "../wire/rest.js";
import type { Profile } from "./effects.js";

/** All that a play learns of the world outside: what it comes to depends on nothing else, so it can be recorded and played again. */
export interface Outside {
  /** To the service. */
  wire: Wire;
  /** To the hooks of the target. */
  hookWire: Pick<Wire, "send">;
  /** Runs the command of a hook. */
  command: RunCommand;
  /** Sleeps, unless the signal ends it. */
  sleep(seconds: number, signal: AbortSignal): Promise<void>;
  /** Our clock, in wall-clock milliseconds. */
  now(): number;
  /** The server's clock, for a target without a hook that tells it; a play in a world of its own has one of its own. */
  serverClock: ServerClock;
  /** Takes so many requests from the budget for paid work, or none when it has no room for them. */
  takePaid(count: number): boolean;
}

/** What all plays of one run share. */
export interface Run extends Outside {
  target: Target;
  mask: Mask;
  profile: Profile;
  env: Environment;
  /** Longest single wait in real time; a target's own clock waits for nothing. */
  maxWaitSeconds: number;
  /** When the run's time is used up, in wall-clock milliseconds. */
  deadline: number;
  /** Keeps the run below the rates of a server that others may use too. */
  governor: Governor;
  /** What this play has done to the server and must take back; none where its world is thrown away. */
  debts?: Debts;
  /** What the plays under way have done and not taken back yet. */
  open: Set<Debts>;
  /** What could not be taken back. */
  leftovers: Leftover[];
  /** Told apart from every other run, so that no idempotency key is used twice. */
  id: string;
  signal: AbortSignal;
  /** Counts one request. */
  count(): void;
  /** Told of every exchange with the service that a step causes; of tidying up and of hooks it is not. */
  onExchange?: (exchange: Exchange) => void;
  /** Told of every wait in real time, as it begins: what it is for, and how long it is. */
  onWait?: (what: string, seconds: number) => void;
  tally: { requests: number; paid: number; waitedSeconds: number };
}
