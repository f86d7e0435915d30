import { statusesWanted } from "../../execute/send.js";
import type { WireRequest } from "../../http/exchange.js";
import { type Changes, changesOf } from "../../pacing/changes.js";
import { executeConcurrently, isShared, type Task, type TaskContext } from "../../pacing/concurrent-tasks.js";
import { orderByLoad } from "../../pacing/load-order.js";
import { openThrottle, type Shard, waitsBeforeBurst } from "../../pacing/throttle.js";
import { type Waits, waitsOf } from "../../pacing/waits.js";
import { demandsOfStep, total } from "../../scenario/demand.js";
import type { Row } from "../../scenario/format.js";
import type { CompiledStep, Demand, Scenario } from "../../scenario/scenario.js";
import type { Suite } from "../../suite.js";
import type { Target } from "../../target/target.js";
import { openVirtualTime } from "./virtual-time.js";

/** Real time that a run waits for, in minutes: in all, and for what. Where waits overlap they come to more than the whole. */
export interface Duration extends Waits {
  expected: number;
  /** The longest that one scenario waits. */
  longest: number;
  /** For room below rates. */
  rates: number;
  /** For an empty bucket before each burst. */
  bursts: number;
}

/** Requests by which an MCP session is begun. */
const HANDSHAKE = 2;

/** What the cases of a property send in all, so many of them. */
export interface PropertyLoad {
  demands: readonly Demand[];
  cases: number;
  changes: Changes;
}

/** What waits of whatever kind are counted with. */
type Pass = (what: "rates" | "bursts" | keyof Waits, seconds: number) => Promise<void>;

/**
 * How long a run of these would wait: they are gone through as they would be executed, in that order, side by side and by the same throttle, in
 * a time of its own and with answers that take none.
 */
export async function estimateDuration(
  suite: Suite,
  target: Target,
  shard: Shard,
  scenarios: readonly Scenario[],
  properties: readonly PropertyLoad[] = [],
): Promise<Duration> {
  const spent = { rates: 0, bursts: 0, clock: 0, dispatches: 0 };
  let longest = 0;
  const time = openVirtualTime();
  const kept: Sessions = new Map();
  const throttle = openThrottle(suite, target, shard, time.now);
  /** What goes on at a place, with a way to let time pass there. */
  const at = async (place: TaskContext, go: (pass: Pass) => Promise<void>) => {
    let own = 0;
    await go(async (what, seconds) => {
      if (seconds <= 0) return;
      spent[what] += seconds;
      own += seconds;
      await place.yieldTurn(() => time.sleep(seconds));
    });
    longest = Math.max(longest, own);
    return "done" as const;
  };
  const ofScenario = (scenario: Scenario): Task => ({
    claim: throttle.reserve(scenario.demands),
    changes: changesOf(scenario, suite.requests),
    execute: (place) => at(place, (pass) => goThrough({ suite, target, place, pass, kept, own: new Map() }, scenario)),
  });
  const ofProperty = (load: PropertyLoad): Task => ({
    ...{ claim: undefined, changes: load.changes },
    execute: (place) => at(place, (pass) => sendAll({ suite, target, place, pass, kept, own: new Map() }, load)),
  });
  const wait = async (seconds: number, ended: AbortSignal | undefined, isBurst: boolean) => {
    const begun = time.now();
    await time.sleep(seconds, ended);
    spent[isBurst ? "bursts" : "rates"] += time.now() - begun;
  };
  const secondsLeft = (claim: Task["claim"]) => (claim ? throttle.waitForReservation(claim, []) : 0);
  if (isShared(target)) {
    const tasks = [...orderByLoad(scenarios, suite.rates).map(ofScenario), ...properties.map(ofProperty)];
    await executeConcurrently(tasks, { throttle, wait, mayWait: () => true });
  } else if (!target.clock)
    for (const { claim, execute } of scenarios.map(ofScenario)) {
      for (let left = secondsLeft(claim); left > 0; left = secondsLeft(claim)) await wait(left, undefined, false);
      await execute({ throttle, yieldTurn: (doing) => doing(), isRetry: false, wasDisturbed: () => false, disturb: () => {} });
    }
  const { rates, bursts, clock, dispatches } = spent;
  return {
    expected: time.now() / 60,
    longest: longest / 60,
    ...{ rates: rates / 60, bursts: bursts / 60, clock: clock / 60, dispatches: dispatches / 60 },
  };
}

/** Where something is gone through. */
interface Course {
  suite: Suite;
  target: Target;
  place: TaskContext;
  pass: Pass;
  /** MCP sessions that have begun: those that the run keeps, and others. */
  kept: Sessions;
  own: Sessions;
}

/** By the role of its key, a request in each session, such as the one that ends it. */
type Sessions = Map<string, WireRequest>;

async function goThrough(course: Course, { steps, finally: last, variables }: Scenario): Promise<void> {
  const { target, place, pass } = course;
  for (const step of [...steps, ...last]) {
    for (const row of step.text.rows ?? [{}])
      for (const one of [step, step.control]) if (one) await send(course, one, { ...variables, ...row });
    const { clock, dispatches } = waitsOf(step.text, target);
    await pass("clock", clock);
    await pass("dispatches", dispatches);
  }
  for (const request of course.own.values()) place.throttle.note(request);
}

async function send(course: Course, step: CompiledStep, variables: Row): Promise<void> {
  const { suite, target, place } = course;
  const { throttle } = place;
  const { rows: _, ...text } = step.text;
  const demands = demandsOfStep({ ...step, text }, variables, suite).map((demand) => ({
    ...demand,
    request: requestOf(demand, target),
  }));
  const isBurst = demands.some(({ burst }) => burst);
  const requests = demands.map(({ request }) => request);
  if (isBurst && waitsBeforeBurst(target) && !target.worlds)
    await waitFor(course, "bursts", () => throttle.waitForBurst(requests, total(demands, "count")));
  const sendOne = async (request: WireRequest) => {
    if (!isBurst && isPatient(step, suite)) await waitFor(course, "rates", () => throttle.wait(request));
    throttle.note(request);
  };
  for (const { request, count, tool, role } of demands) {
    if (tool && text.mcp?.raw === undefined) await shakeHands(course, role, request, sendOne);
    for (let sent = 0; sent < count; sent++) await sendOne(request);
  }
}

/** Begins the MCP session of a key, unless it has begun: a key that the target names has one for all. */
async function shakeHands(
  { target, kept, own }: Course,
  role: string | undefined,
  request: WireRequest,
  sendOne: (request: WireRequest) => Promise<void>,
): Promise<void> {
  if (role === undefined) return;
  const sessions = isShared(target) && role in target.keys ? kept : own;
  if (sessions.has(role)) return;
  sessions.set(role, request);
  for (let sent = 0; sent < HANDSHAKE; sent++) await sendOne(request);
}

/** Sends what some cases send, each its part. */
async function sendAll(course: Course, { demands, cases }: PropertyLoad): Promise<void> {
  const { target, place } = course;
  const sorts = demands.map((demand) => ({ ...demand, request: requestOf(demand, target) }));
  const sendOne = async (request: WireRequest) => {
    await waitFor(course, "rates", () => place.throttle.wait(request));
    place.throttle.note(request);
  };
  for (let number = 1; number <= cases; number++)
    for (const { request, count, tool, role } of sorts) {
      const partOf = (some: number) => Math.floor((some * count) / cases);
      if (tool) await shakeHands(course, role, request, sendOne);
      for (let sent = partOf(number - 1); sent < partOf(number); sent++) await sendOne(request);
    }
}

async function waitFor({ pass }: Course, what: "rates" | "bursts", secondsLeft: () => number): Promise<void> {
  for (let seconds = secondsLeft(); seconds > 0; seconds = secondsLeft()) await pass(what, seconds);
}

/** Whether a step waits for room below a rate: one that is after a refusal for it, or takes what comes, does not. */
function isPatient({ text: { expect, given, inconclusiveIf = [], retry } }: CompiledStep, { answers }: Suite): boolean {
  return retry !== false && !statusesWanted([expect, given, ...inconclusiveIf], answers).has(429);
}

function requestOf({ method, path, tool, role }: Demand, { urls, keys }: Target): WireRequest {
  const key = role === undefined ? undefined : (keys[role] ?? role); // one that a scenario makes is nobody else's
  const url = tool ? (urls.mcp ?? urls.api) : urls.api + path;
  return { method, url, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } };
}
