import type { Mask } from "../../common/masking/mask.js";
import type { CleanupRules } from "../cleanup/rules.js";
import type { Leftover, SideEffects, StartedItem } from "../cleanup/side-effects.js";
import type { Exchange } from "../http/exchange.js";
import type { ResponseRules } from "../http/response-rules.js";
import type { Wire } from "../http/rest.js";
import type { ServerClock } from "../http/server-clock.js";
import type { RateRules } from "../pacing/rates.js";
import type { Throttle } from "../pacing/throttle.js";
import type { YieldTurn } from "../pacing/turn-lock.js";
import type { CoverageRules } from "../scenario/dimensions.js";
import type { Profile } from "../scenario/effects.js";
import type { Ledger } from "../scenario/lint.js";
import type { CompileRules } from "../scenario/requests.js";
import type { CompiledStep, Scenario } from "../scenario/scenario.js";
import type { RunCommand } from "../target/hooks.js";
import type { TargetRules } from "../target/rules.js";
import type { EnvironmentVariables, Target } from "../target/target.js";
import type { PaidBudget } from "./cost.js";
import type { KeptSessions } from "./kept-sessions.js";
import type { Outages } from "./outages.js";

/** All inputs of an execution from outside. Its result depends on nothing else, so it can be recorded and replayed. */
export interface ExecutionInput {
  /** Sends requests to the service. */
  wire: Wire;
  /** Sends requests to the hooks of the target. */
  hookWire: Pick<Wire, "send">;
  /** Runs the command of a hook. */
  command: RunCommand;
  /** Sleeps until the time is over or the signal aborts. Returns by how many seconds it ended late because another task was still acting. */
  sleep(seconds: number, signal: AbortSignal): Promise<number>;
  /** Returns the time of this machine in milliseconds since 1970. */
  now(): number;
  /** The server's clock, for a target without a clock hook. An execution in a separate world has a separate clock. */
  serverClock: ServerClock;
  budget: PaidBudget;
  /** MCP sessions that executions share. Absent if each execution opens its own. */
  keptSessions?: KeptSessions | undefined;
  /** Decides which requests and scenarios are repeated after lost connections. Absent if none is. */
  outages?: Outages | undefined;
}

/** The parts of a suite that an execution uses. */
export interface ExecutionRules extends CompileRules {
  clauses: Ledger;
  coverage: CoverageRules;
  answers: ResponseRules;
  target: TargetRules;
  rates: RateRules;
  cleanup: CleanupRules;
}

/** The state and settings that all executions of a run share. */
export interface Run extends ExecutionInput {
  suite: ExecutionRules;
  target: Target;
  mask: Mask;
  profile: Profile;
  env: EnvironmentVariables;
  /** Longest single wait in real seconds. Moving the target's clock needs no wait. */
  maxWaitSeconds: number;
  /** When the run must end, in milliseconds since 1970; infinite if the run has no time limit. */
  deadline: number;
  /** The time in seconds that the user selected for the run. Scenarios that it leaves no time for are left out. */
  deadlineSeconds?: number | undefined;
  /** Tells whether the deadline leaves no time to run a scenario from now on. */
  hasNoTimeFor?: (scenario: Scenario) => boolean;
  /** Keeps the run below the rate limits of the server. */
  throttle: Throttle;
  /** Lets other tasks run until a given task is done. Absent if there are no other tasks. */
  yieldTurn?: YieldTurn;
  /** Changes on the server that this execution must undo. Absent if the world is deleted afterwards. */
  sideEffects?: SideEffects;
  /** Changes of all current executions that are not yet undone. */
  open: Set<SideEffects>;
  /** Bindings that name a place in responses (`binding.NAME`), each with its mistake according to the first response; false if there is none. */
  bindingsSeen: Map<string, string | false>;
  /** Needs whose bindings the server has shown to be true, so that the run proves each once. */
  shownNeeds: Set<string>;
  /** Paid work that the run started, including work that it undid later. Work in worlds that are deleted afterwards is not included. */
  started: StartedItem[];
  /** Changes that could not be undone. */
  leftovers: Leftover[];
  /** A text that no other run has. It makes idempotency keys unique. */
  id: string;
  signal: AbortSignal;
  /** Counts one request. */
  count(): void;
  /** Called after each wait that no step requested, such as a wait for `Retry-After`. */
  onDelay?: () => void;
  /** Called when a step begins. */
  onStep?: (name: string) => void;
  /** Called with each exchange that a step causes. Exchanges of the cleanup and of hooks are not included. */
  onExchange?: (exchange: Exchange) => void;
  /** Called when a step needs a wait for which the deadline leaves no time. */
  onNoTime?: () => void;
  /** Called when a wait in real time starts, with its purpose and its length in seconds. */
  onWait?: (what: string, seconds: number) => void;
  tally: { requests: number; paid: number; waitedSeconds: number };
}

/** Returns why a run starts no further step or scenario; undefined while it can go on. */
export function explainStop({ signal, deadline, now }: Pick<Run, "signal" | "deadline" | "now">): string | undefined {
  if (signal.aborted) return explainStopReason(signal);
  return Number.isFinite(deadline) && now() > deadline ? "the time of the run was used up" : undefined;
}

/** Returns why a signal ended the run: its reason if that is a text, such as "the server did not answer for 60 s". */
export function explainStopReason({ reason }: AbortSignal): string {
  return typeof reason === "string" ? reason : "the run was stopped";
}

/** Returns whether the budget has room for all paid work that a step may start. Takes nothing from the budget: sending a request does. */
export function hasBudgetFor({ budget }: Pick<Run, "budget">, { paid }: Pick<CompiledStep, "paid">): boolean {
  return paid === 0 || budget.hasRoom(paid);
}
