import { openSideEffects } from "../cleanup/side-effects.js";
import type { WireRequest } from "../http/exchange.js";
import { openServerClock } from "../http/server-clock.js";
import { parseSeconds, type Row } from "../scenario/format.js";
import { interpolate, type Lookup, listVariables } from "../scenario/interpolate.js";
import type { RequestRules } from "../scenario/requests.js";
import type { CompiledStep, Scenario } from "../scenario/scenario.js";
import { type Environment, isDisposable } from "../target/environment.js";
import { readBinding } from "../target/needs.js";
import type { Target } from "../target/target.js";
import { readClock } from "./clock.js";
import { type ExchangeLog, openExchangeLog } from "./exchange-log.js";
import type { McpSession } from "./mcp-session.js";
import type { Run } from "./run.js";
import { openServedOperations, type ServedOperations } from "./served-operations.js";

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
  /** Returns whether the run waited although no step requested it. Values that depend on the time may then be wrong. */
  isDelayed(): boolean;
  /** The events that hooks have triggered so far. */
  driven: DrivenEvent[];
  /** MCP sessions, by address and credentials. */
  mcpSessions: Map<string, McpSession>;
}

/** An event that a hook has triggered, with the values that the hook received and its response. */
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
  let isDelayed = false;
  const log = openExchangeLog();
  const servedOperations = openServedOperations(run.suite, environment.target);
  const sideEffects = isDisposable(environment)
    ? undefined
    : openSideEffects(run.suite.cleanup, environment.target, scenario.name);
  if (sideEffects) run.open.add(sideEffects);
  const countedRun: Run = {
    ...run,
    ...(sideEffects && { sideEffects }),
    // each world may start at a different time
    ...(environment.fresh && { serverClock: openServerClock(run.target.urls.api, run.now) }),
    onDelay: () => {
      isDelayed = true;
      servedOperations.noteEvent();
    },
    onExchange: (exchange) => {
      log.exchange(exchange);
      servedOperations.note(exchange);
      run.onExchange?.(exchange);
    },
    count: () => {
      requests += 1;
      run.count();
    },
  };
  const saved = new Map<string, unknown>();
  const look = createLookup({ environment, unique, saved, builtIn: run.suite.requests.variable });
  fillRow(scenario, saved, look);
  const execution: Execution = {
    run: countedRun,
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
    served: servedOperations,
    isDelayed: () => isDelayed,
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
  const clockReading = usesClock ? await readClock(run, environment) : undefined;
  if (clockReading?.ok === false) return clockReading.why;
  execution.look = createLookup({
    environment,
    unique,
    saved,
    builtIn: run.suite.requests.variable,
    ...(clockReading && { now: clockReading.now }),
  });
  fillRow(execution.scenario, execution.saved, execution.look);
  return undefined;
}

/** Fills in those values of the scenario's row whose variables are known. */
function fillRow({ variables }: Scenario, saved: Map<string, unknown>, look: Lookup): void {
  for (const [name, value] of Object.entries(variables))
    if (!saved.has(name) && listVariables(value).every((one) => look(one) !== undefined))
      saved.set(name, interpolate(value, look));
}

/** The sources of the values of variables. */
interface VariableContext {
  environment: Environment;
  unique: string;
  saved: ReadonlyMap<string, unknown>;
  /** The target's time. Needed only for `{now}`. */
  now?: Date;
  /** Returns a variable that the contract defines. */
  builtIn: RequestRules["variable"];
}

/** Returns a function that looks variables up. It returns undefined for a variable without a value. */
function createLookup({ environment, unique, saved, now, builtIn }: VariableContext): Lookup {
  const look: Lookup = (name) => {
    if (saved.has(name)) return saved.get(name);
    if (name === "unique") return unique;
    if (name.startsWith("text:")) return findFiller(name.slice("text:".length));
    if (name.startsWith("now")) return now && shiftMoment(now, name.slice("now".length));
    if (name.startsWith("binding."))
      return interpolate(readBinding(environment.target.bindings, name.slice("binding.".length)), look);
    const variable = builtIn(name);
    const repo = variable && environment.repos[variable.number - 1];
    return repo && variable.valueIn(repo);
  };
  return look;
}

/** Returns the shifted time as an ISO 8601 text. `shift` holds a duration and a UTC offset, both optional: `-30s+02:00` is 30 seconds ago at UTC+2. */
function shiftMoment(now: Date, shift: string): string {
  const [, by = "", sign, hours, minutes] = /^(.*?)(?:([+-])(\d\d):(\d\d))?$/.exec(shift) ?? [];
  const moment = now.getTime() + (by === "" ? 0 : parseSeconds(by.slice(1)) * (by[0] === "-" ? -1 : 1)) * 1000;
  if (sign === undefined) return new Date(moment).toISOString();
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60_000 : 60_000);
  return new Date(moment + offset).toISOString().replace("Z", `${sign}${hours}:${minutes}`);
}

const FILLER_SENTENCE = "Written by a test of the contract. ";
/** Each character takes two bytes in UTF-8. */
const NON_LATIN_WORD = "Написано";

/** Returns text of this length: `20` characters, or `20:wide` for characters of two bytes. */
function findFiller(format: string): string {
  const [digits, kind] = format.split(":");
  const length = Number(digits);
  const text = kind === "wide" ? NON_LATIN_WORD : FILLER_SENTENCE;
  return text
    .repeat(Math.ceil(length / text.length))
    .slice(0, length)
    .replace(/ $/, ".");
}
