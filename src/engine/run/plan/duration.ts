import { MAX_PARALLEL_SCENARIOS } from "../../execute/scenarios.js";
import { listWantedStatuses } from "../../execute/send.js";
import type { WireRequest } from "../../http/exchange.js";
import { type Changes, listChanges, listReplacingEvents } from "../../pacing/changes.js";
import { executeConcurrently, isShared, type Task, type TaskContext } from "../../pacing/concurrent-tasks.js";
import { orderByInformation, sumWaits } from "../../pacing/scenario-order.js";
import { openThrottle, type Shard, type Throttle, waitsBeforeBurst } from "../../pacing/throttle.js";
import { listStepDemands, sumDemands } from "../../scenario/demand.js";
import type { Profile } from "../../scenario/effects.js";
import type { Row } from "../../scenario/format.js";
import type { CompiledStep, Demand, Scenario } from "../../scenario/scenario.js";
import type { Suite } from "../../suite.js";
import type { Target } from "../../target/target.js";
import { openVirtualTime } from "./virtual-time.js";

/** The reasons for which a run waits. */
interface WaitsByReason {
  /** For room below rate limits. */
  rates: number;
  /** For an empty rate limit before each burst. */
  bursts: number;
  /** For steps that let time pass. */
  clock: number;
  /** For the server's scheduler: half a tick for each long poll. */
  dispatches: number;
}

/** How long a run waits in real time, in minutes. Waits overlap, so the sum of the reasons may exceed `expected`. */
export interface Duration extends WaitsByReason {
  expected: number;
  /** The longest that one scenario waits. */
  longest: number;
  /** By the name of a scenario, the second at which it ends. Empty where no scenario waits for another. */
  ends: ReadonlyMap<string, number>;
}

/** The requests of all cases of a property. */
export interface PropertyLoad {
  demands: readonly Demand[];
  cases: number;
  changes: Changes;
}

/** Requests that begin an MCP session. */
const HANDSHAKE_REQUESTS = 2;

/**
 * Estimates how long a run waits. Simulates the tasks in virtual time with the order, concurrency and throttle of a real run. `responseSeconds`: how long
 * the response to one request takes.
 */
export async function estimateDuration(
  { suite, target, profile }: { suite: Suite; target: Target; profile: Profile },
  shard: Shard,
  scenarios: readonly Scenario[],
  { properties = [], responseSeconds = 0 }: { properties?: readonly PropertyLoad[]; responseSeconds?: number } = {},
): Promise<Duration> {
  const events = listReplacingEvents({ profile, target });
  const ends = new Map<string, number>();
  const waitsByReason: WaitsByReason = { rates: 0, bursts: 0, clock: 0, dispatches: 0 };
  let longest = 0;
  const time = openVirtualTime();
  const throttle = openThrottle(suite, target, shard, time.now);
  const keptSessions: Sessions = new Map();
  const simulate = async (context: TaskContext, execute: (simulation: Simulation) => Promise<void>) => {
    let own = 0;
    const wait: Simulation["wait"] = async (reason, seconds) => {
      if (seconds <= 0) return;
      waitsByReason[reason] += seconds;
      own += seconds;
      await context.yieldTurn(() => time.sleep(seconds));
    };
    await execute({ suite, target, throttle: context.throttle, wait, keptSessions, ownSessions: new Map() });
    longest = Math.max(longest, own);
    return "done" as const;
  };
  const scenarioTask = (scenario: Scenario): Task => ({
    reservation: throttle.reservationFor(scenario.demands),
    changes: listChanges(scenario, suite.requests, events),
    async execute(context) {
      const responses = sumDemands(scenario.demands, "count") * responseSeconds;
      if (responses > 0) await time.sleep(responses); // on a shared server, no other task acts during this time
      const ended = await simulate(context, (simulation) => simulateScenario(simulation, scenario));
      ends.set(scenario.name, time.now());
      return ended;
    },
  });
  const propertyTask = (load: PropertyLoad): Task => ({
    ...{ reservation: undefined, changes: load.changes },
    execute: (context) => simulate(context, (simulation) => simulateCases(simulation, load)),
  });
  const wait = async (seconds: number, taskEnd: AbortSignal | undefined, isBurst: boolean) => {
    const startedAt = time.now();
    await time.sleep(seconds, taskEnd);
    waitsByReason[isBurst ? "bursts" : "rates"] += time.now() - startedAt;
  };
  const ordered = orderByInformation(scenarios, suite.rates, target);
  if (isShared(target)) {
    const tasks = [...ordered.map(scenarioTask), ...properties.map(propertyTask)];
    await executeConcurrently(tasks, { throttle, wait, mayWait: () => true });
  } else if (!target.clock) await executeSideBySide(ordered.map(scenarioTask), throttle, wait);
  const { rates, bursts, clock, dispatches } = waitsByReason;
  return {
    expected: time.now() / 60,
    longest: longest / 60,
    ends,
    ...{ rates: rates / 60, bursts: bursts / 60, clock: clock / 60, dispatches: dispatches / 60 },
  };
}

/** Executes tasks side by side, as a run does if each task has its own world. */
async function executeSideBySide(
  tasks: readonly Task[],
  throttle: Throttle,
  wait: (seconds: number, taskEnd: undefined, isBurst: boolean) => Promise<void>,
): Promise<void> {
  const left = tasks.values();
  const work = async () => {
    for (const { reservation, execute } of left) {
      const secondsLeft = () => (reservation ? throttle.waitForReservation(reservation, []) : 0);
      for (let seconds = secondsLeft(); seconds > 0; seconds = secondsLeft()) await wait(seconds, undefined, false);
      await execute({
        ...{ throttle, yieldTurn: (during) => during(), isRetry: false },
        ...{ wasDisturbed: () => false, markDisturbed: () => {} },
      });
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL_SCENARIOS }, work));
}

/** One task in virtual time. */
interface Simulation {
  suite: Suite;
  target: Target;
  throttle: Throttle;
  /** Lets virtual time pass for a reason. */
  wait(reason: keyof WaitsByReason, seconds: number): Promise<void>;
  /** MCP sessions that the run keeps for all tasks. */
  keptSessions: Sessions;
  /** MCP sessions of this task. */
  ownSessions: Sessions;
}

/** By the role of its key, one request of each MCP session. It stands for the request that ends the session. */
type Sessions = Map<string, WireRequest>;

async function simulateScenario(simulation: Simulation, { steps, finally: last, variables }: Scenario): Promise<void> {
  const { target, throttle, wait } = simulation;
  for (const step of [...steps, ...last]) {
    for (const row of step.text.rows ?? [{}])
      for (const compiledStep of [step, step.control])
        if (compiledStep) await simulateStep(simulation, compiledStep, { ...variables, ...row });
    const { clock, dispatches } = sumWaits(step.text, target);
    await wait("clock", clock);
    await wait("dispatches", dispatches);
  }
  for (const request of simulation.ownSessions.values()) throttle.record(request);
}

async function simulateStep(simulation: Simulation, step: CompiledStep, variables: Row): Promise<void> {
  const { suite, target, throttle } = simulation;
  const { rows: _, ...text } = step.text;
  const demands = listStepDemands({ ...step, text }, variables, suite).map((demand) => ({
    ...demand,
    request: createRequest(demand, target),
  }));
  const isBurst = demands.some(({ burst }) => burst);
  const requests = demands.map(({ request }) => request);
  if (isBurst && waitsBeforeBurst(target) && !target.worlds)
    await waitFor(simulation, "bursts", () => throttle.waitForBurst(requests, sumDemands(demands, "count")));
  const sendOne = async (request: WireRequest) => {
    if (!isBurst && waitsForRoom(step, suite)) await waitFor(simulation, "rates", () => throttle.wait(request));
    throttle.record(request);
  };
  for (const { request, count, tool, role } of demands) {
    if (tool && text.mcp?.raw === undefined) await beginSession(simulation, role, request, sendOne);
    for (let sent = 0; sent < count; sent++) await sendOne(request);
  }
}

/** Sends the requests that begin the MCP session of a key, unless it has begun. Keys that the target names have one session for the whole run. */
async function beginSession(
  { target, keptSessions, ownSessions }: Simulation,
  role: string | undefined,
  request: WireRequest,
  sendOne: (request: WireRequest) => Promise<void>,
): Promise<void> {
  if (role === undefined) return;
  const sessions = isShared(target) && role in target.keys ? keptSessions : ownSessions;
  if (sessions.has(role)) return;
  sessions.set(role, request);
  for (let sent = 0; sent < HANDSHAKE_REQUESTS; sent++) await sendOne(request);
}

/** Sends the requests of a property, divided evenly among its cases. */
async function simulateCases(simulation: Simulation, { demands, cases }: PropertyLoad): Promise<void> {
  const { target, throttle } = simulation;
  const demandsWithRequest = demands.map((demand) => ({ ...demand, request: createRequest(demand, target) }));
  const sendOne = async (request: WireRequest) => {
    await waitFor(simulation, "rates", () => throttle.wait(request));
    throttle.record(request);
  };
  for (let number = 1; number <= cases; number++)
    for (const { request, count, tool, role } of demandsWithRequest) {
      const getSentAfter = (some: number) => Math.floor((some * count) / cases);
      if (tool) await beginSession(simulation, role, request, sendOne);
      for (let sent = getSentAfter(number - 1); sent < getSentAfter(number); sent++) await sendOne(request);
    }
}

async function waitFor({ wait }: Simulation, reason: "rates" | "bursts", secondsLeft: () => number): Promise<void> {
  for (let left = secondsLeft(); left > 0; left = secondsLeft()) await wait(reason, left);
}

/** Tells whether a step waits for room below a rate limit. A step that expects a 429, or has `retry: false`, does not wait. */
function waitsForRoom(
  { text: { expect, given, inconclusiveIf = [], retry } }: CompiledStep,
  { answers: responses }: Suite,
): boolean {
  return retry !== false && !listWantedStatuses([expect, given, ...inconclusiveIf], responses).has(429);
}

function createRequest({ method, path, tool, role }: Demand, { urls, keys }: Target): WireRequest {
  const key = role === undefined ? undefined : (keys[role] ?? role); // a key that a scenario creates: its role stands for it
  const url = tool ? (urls.mcp ?? urls.api) : urls.api + path;
  return { method, url, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } };
}
