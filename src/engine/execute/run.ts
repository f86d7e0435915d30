import type { Mask } from "../../common/masking/mask.js";
import type { CleanupRules } from "../cleanup/rules.js";
import type { Leftover, SideEffects, StartedItem } from "../cleanup/side-effects.js";
import type { AnswerRules } from "../http/answer-rules.js";
import type { Exchange } from "../http/exchange.js";
import type { Wire } from "../http/rest.js";
import type { ServerClock } from "../http/server-clock.js";
import type { RateRules } from "../pacing/rates.js";
import type { Throttle } from "../pacing/throttle.js";
import type { YieldTurn } from "../pacing/turn-lock.js";
import type { CoverageRules } from "../scenario/dimensions.js";
import type { Profile } from "../scenario/effects.js";
import type { Ledger } from "../scenario/lint.js";
import type { CompileRules } from "../scenario/requests.js";
import type { CompiledStep } from "../scenario/scenario.js";
import type { RunCommand } from "../target/hooks.js";
import type { TargetRules } from "../target/rules.js";
import type { EnvironmentVariables, Target } from "../target/target.js";
import type { PaidBudget } from "./cost.js";
import type { KeptSessions } from "./kept-sessions.js";

/** All that an execution learns of the world outside: what it comes to depends on nothing else, so it can be recorded and replayed. */
export interface Surroundings {
  /** To the service. */
  wire: Wire;
  /** To the hooks of the target. */
  hookWire: Pick<Wire, "send">;
  /** Runs the command of a hook. */
  command: RunCommand;
  /** Sleeps, unless the signal ends it. Says how many seconds later than that it goes on, where others acted meanwhile and one of them had not done. */
  sleep(seconds: number, signal: AbortSignal): Promise<number>;
  /** Our clock, in wall-clock milliseconds. */
  now(): number;
  /** The server's clock, for a target without a clock hook. An execution in a separate world has a separate clock. */
  serverClock: ServerClock;
  budget: PaidBudget;
  /** MCP sessions that executions have in common; none where each has its own. */
  keptSessions?: KeptSessions | undefined;
}

/** As much of a suite as an execution goes by. */
export interface ExecutionRules extends CompileRules {
  clauses: Ledger;
  coverage: CoverageRules;
  answers: AnswerRules;
  target: TargetRules;
  rates: RateRules;
  cleanup: CleanupRules;
}

/** What all executions of one run share. */
export interface Run extends Surroundings {
  suite: ExecutionRules;
  target: Target;
  mask: Mask;
  profile: Profile;
  env: EnvironmentVariables;
  /** Longest single wait in real time; a target's own clock waits for nothing. */
  maxWaitSeconds: number;
  /** When the run's time is used up, in wall-clock milliseconds. */
  deadline: number;
  /** Keeps the run below the rates of a server that others may use too. */
  throttle: Throttle;
  /** Lets others act until something is done; where nobody else is, there is nothing to let. */
  yieldTurn?: YieldTurn;
  /** What this execution has done to the server and must take back; none where its world is thrown away. */
  sideEffects?: SideEffects;
  /** What the executions under way have done and not taken back yet. */
  open: Set<SideEffects>;
  /** Bindings by which answers are read (`binding.NAME`), each with what is wrong with it by the first answer; false where nothing is. */
  bindingsSeen: Map<string, string | false>;
  /** Paid work that was started, be it taken back or not; none of it in worlds that are thrown away. */
  started: StartedItem[];
  /** What could not be taken back. */
  leftovers: Leftover[];
  /** Unlike that of every other run, so that no idempotency key is used twice. */
  id: string;
  signal: AbortSignal;
  /** Counts one request. */
  count(): void;
  /** Called after each wait that no step requested: time has passed meanwhile. */
  onDelay?: () => void;
  /** Called when a step begins. */
  onStep?: (name: string) => void;
  /** Gets every exchange with the service that a step causes; those of tidying up and of hooks it does not. */
  onExchange?: (exchange: Exchange) => void;
  /** Gets every wait in real time, as it begins: what it is for, and how long it is. */
  onWait?: (what: string, seconds: number) => void;
  tally: { requests: number; paid: number; waitedSeconds: number };
}

/** Returns why a run starts no further step or scenario; undefined while it may. */
export function whyStopped({ signal, deadline, now }: Pick<Run, "signal" | "deadline" | "now">): string | undefined {
  if (signal.aborted) return "the run was stopped";
  return Number.isFinite(deadline) && now() > deadline ? "the time of the run was used up" : undefined;
}

/** Returns whether the budget has room for all paid work that a step may start. Each request takes its part when it is sent. */
export function affords({ budget }: Pick<Run, "budget">, { paid }: Pick<CompiledStep, "paid">): boolean {
  return paid === 0 || budget.hasRoom(paid);
}
