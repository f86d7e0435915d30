import type { Mask } from "../mask.js";
import type { Environment, Target } from "../target/target.js";
import type { Exchange } from "../wire/exchange.js";
import type { Wire } from "../wire/rest.js";
import type { Profile } from "./effects.js";

/** What all plays of one run share. */
export interface Run {
  target: Target;
  wire: Wire;
  mask: Mask;
  profile: Profile;
  env: Environment;
  /** Longest single wait in real time; a target's own clock waits for nothing. */
  maxWaitSeconds: number;
  /** Most requests that may start paid work. */
  budgetPaid: number;
  /** Told apart from every other run, so that no idempotency key is used twice. */
  id: string;
  signal: AbortSignal;
  /** Counts one request. */
  count(): void;
  /** Told of every exchange with the service that a step causes; of tidying up and of hooks it is not. */
  onExchange?: (exchange: Exchange) => void;
  tally: { requests: number; paid: number; waitedSeconds: number };
}
