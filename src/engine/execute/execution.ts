import { openSideEffects } from "../cleanup/side-effects.js";
import type { WireRequest } from "../http/exchange.js";
import { openServerClock } from "../http/server-clock.js";
import type { Row } from "../scenario/format.js";
import { interpolate, type Lookup, variablesIn } from "../scenario/interpolate.js";
import type { CompiledStep, Scenario } from "../scenario/scenario.js";
import { type Environment, isDisposable } from "../target/environment.js";
import type { Target } from "../target/target.js";
import { readClock } from "./clock.js";
import { type ExchangeLog, openExchangeLog } from "./exchange-log.js";
import type { McpSession } from "./mcp-session.js";
import type { Run } from "./run.js";
import { openServedOperations, type ServedOperations } from "./served-operations.js";
import { lookup } from "./variables.js";

/** The state of a scenario during its execution: its environment, sent requests and saved values. */
export interface Execution {
  run: Run;
  environment: Environment;
  target: Target;
  scenario: Scenario;
  /** A text that no other execution of the run has. */
  unique: string;
  look: Lookup;
  saved: Map<string, unknown>;
  keys: Map<string, string>;
  sessions: Readonly<Record<string, string>>;
  sent: Map<string, WireRequest>;
  /** The exchanges and events so far. */
  log: ExchangeLog;
  /** The operations that have succeeded so far. */
  served: ServedOperations;
  /** Returns whether a wait that no step requested has let time pass. Earlier statements about the time may be wrong then. */
  isDelayed(): boolean;
  /** The events that hooks have triggered so far. */
  driven: DrivenEvent[];
  /** MCP sessions, by address and credentials. */
  mcpSessions: Map<string, McpSession>;
}

/** An event that a hook has triggered, with the values that the hook received and its answer. */
export interface DrivenEvent {
  event: string;
  values: Row;
  answer: unknown;
}

/** Opens an execution that has sent nothing, with a counter of its requests. */
export function openExecution(
  run: Run,
  environment: Environment,
  scenario: Scenario,
  unique: string,
): { execution: Execution; requests: () => number } {
  let requests = 0;
  let delayed = false;
  const log = openExchangeLog();
  const served = openServedOperations(run.suite, environment.target);
  const sideEffects = isDisposable(environment)
    ? undefined
    : openSideEffects(run.suite.cleanup, environment.target, scenario.name);
  if (sideEffects) run.open.add(sideEffects);
  const counted: Run = {
    ...run,
    ...(sideEffects && { sideEffects }),
    // each world may start at a different time
    ...(environment.fresh && { serverClock: openServerClock(run.target.urls.api, run.now) }),
    onDelay: () => {
      delayed = true;
      served.noteEvent();
    },
    onExchange: (exchange) => {
      log.exchange(exchange);
      served.note(exchange);
      run.onExchange?.(exchange);
    },
    count: () => {
      requests += 1;
      run.count();
    },
  };
  const saved = new Map<string, unknown>();
  const look = lookup({ environment, unique, saved, builtIn: run.suite.requests.variable });
  fillRow(scenario, saved, look);
  const execution: Execution = {
    run: counted,
    environment,
    target: environment.target,
    scenario,
    unique,
    look,
    saved,
    keys: new Map(Object.entries(environment.keys)),
    sessions: environment.sessions,
    sent: new Map(),
    log,
    served,
    isDelayed: () => delayed,
    driven: [],
    mcpSessions: new Map(),
  };
  return { execution, requests: () => requests };
}

/**
 * Reads the target's time for a step that uses `{now}`. The first such step fixes the moments of the scenario's row. Returns why the time is
 * unknown; undefined if it is known or not used.
 */
export async function lookAtClock(
  execution: Execution,
  { usesClock }: Pick<CompiledStep, "usesClock">,
): Promise<string | undefined> {
  const { run, environment, unique, saved } = execution;
  const read = usesClock ? await readClock(run, environment) : undefined;
  if (read?.ok === false) return read.why;
  execution.look = lookup({ environment, unique, saved, builtIn: run.suite.requests.variable, ...(read && { now: read.now }) });
  fillRow(execution.scenario, execution.saved, execution.look);
  return undefined;
}

/** Fills in those values of the scenario's row whose variables are known. */
function fillRow({ variables }: Scenario, saved: Map<string, unknown>, look: Lookup): void {
  for (const [name, value] of Object.entries(variables))
    if (!saved.has(name) && variablesIn(value).every((one) => look(one) !== undefined)) saved.set(name, interpolate(value, look));
}
