import { type ClockText, parseSeconds } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Environment } from "../target/environment.js";
import { callHook, type HookContext } from "../target/hooks.js";
import { explainStopReason, type Run } from "./run.js";
import type { WaitResult } from "./send-result.js";

/**
 * Lets time pass: moves the target's clock if this is possible, else sleeps. Refuses a wait that is longer than the run allows. `what` names
 * the reason of the wait in the progress output.
 */
export async function pause(run: Run, environment: Environment, seconds: number, what: string): Promise<WaitResult> {
  const waitResult = isMovable(run, environment)
    ? await moveClock(run, environment, { by: `${seconds}s` })
    : await sleepFor(run, seconds, what);
  if (waitResult.ok) run.throttle.advanceClock(seconds);
  return waitResult;
}

/** Returns whether the runner moves the target's clock instead of sleeping. A read-only run never moves a clock that others use. */
function isMovable({ profile }: Run, { target, fresh }: Environment): boolean {
  return target.clock !== undefined && (fresh || profile !== "read-only");
}

async function sleepFor(run: Run, seconds: number, what: string): Promise<WaitResult> {
  const long = `this needs a wait of ${Math.ceil(seconds)} s`;
  if (seconds > run.maxWaitSeconds) return { ok: false, why: describeWaitLimit(run, long) };
  if (Number.isFinite(run.deadline) && run.now() + seconds * 1000 > run.deadline) {
    run.onNoTime?.();
    return { ok: false, why: `${long}, but the run has less time left` };
  }
  run.onWait?.(what, seconds);
  const lateSeconds = await run.sleep(seconds, run.signal);
  return run.signal.aborted ? { ok: false, why: explainStopReason(run.signal) } : { ok: true, lateSeconds };
}

/** Returns why a run does not wait for something, and what would judge it. `what` says how long the wait is, or what it is for. */
export function describeWaitLimit({ maxWaitSeconds }: Pick<Run, "maxWaitSeconds">, what: string): string {
  return `the target offers no clock that this run may move, and the longest allowed wait is ${maxWaitSeconds} s. To judge this, offer a clock in the target file, or raise --max-wait (${what})`;
}

/**
 * Calls the target's hook that moves its clock, and reads the clock before and after. A hook that moves the clock by another
 * amount has failed: later responses are not evidence about the contract.
 */
export async function moveClock(run: Run, environment: Environment, change: ClockText): Promise<WaitResult> {
  const { advance: hook, untrue } = environment.target.clock ?? {};
  if (!hook) return { ok: false, why: "the target has no clock to move" };
  if (untrue !== undefined) return { ok: false, why: untrue };
  const begunAt = run.now();
  const clockReadingBefore = await readClock(run, environment);
  if (!clockReadingBefore.ok) return clockReadingBefore;
  const response = await callHook(hook, change, createHookContext(run, environment));
  if (!response.ok) return response;
  const clockReadingAfter = await readClock(run, environment);
  if (!clockReadingAfter.ok) return clockReadingAfter;
  const movedSeconds = (clockReadingAfter.now.getTime() - clockReadingBefore.now.getTime()) / 1000;
  const wanted = computeWantedSeconds(change, clockReadingBefore.now);
  const lateSeconds = 2 + ((run.now() - begunAt) / 1000) * MAX_CLOCK_FACTOR;
  const max = environment.fresh || run.target.exclusive ? wanted.max + lateSeconds : Number.POSITIVE_INFINITY; // other clients move a shared clock too
  if (movedSeconds >= Math.floor(wanted.min) && movedSeconds <= max) return { ok: true };
  const by = "until" in change ? "forward" : `by ${roundSeconds(wanted.min)} s`;
  return {
    ok: false,
    why: `the hook clock.advance was to move the clock ${by}, but clock.now moved by ${roundSeconds(movedSeconds)} s. Correct the hooks in the target file`,
  };
}

/** The maximum number of seconds that a target's running clock may gain in one real second. */
const MAX_CLOCK_FACTOR = 60;

/** Returns the minimum and maximum number of seconds by which a change moves a clock. */
function computeWantedSeconds(change: ClockText, now: Date): { min: number; max: number } {
  if ("until" in change) return { min: 0, max: Number.POSITIVE_INFINITY };
  const wanted = "by" in change ? parseSeconds(change.by) : Math.max(0, (Date.parse(change.to) - now.getTime()) / 1000);
  return { min: wanted, max: wanted };
}

/** Returns seconds with one decimal place. */
function roundSeconds(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The target's time, or why it is unknown. */
type ClockReading = { ok: true; now: Date } | { ok: false; why: string };

/** Returns the target's time: from its clock if it has one, else from the `Date` of its responses. */
export async function readClock(run: Run, environment: Environment): Promise<ClockReading> {
  const hook = environment.target.clock?.now;
  if (!hook) return { ok: true, now: new Date(run.serverClock.now()) };
  const response = await callHook(hook, {}, createHookContext(run, environment));
  if (!response.ok) return { ok: false, why: `the hook clock.now failed: ${response.why}` };
  const now = isRecord(response.value) ? Date.parse(String(response.value.now)) : Number.NaN;
  if (Number.isNaN(now)) return { ok: false, why: 'the hook clock.now answered no timestamp: it must answer {"now": timestamp}' };
  return { ok: true, now: new Date(now) };
}

/** Returns the context in which the runner calls hooks in this environment. */
export function createHookContext(run: Run, { world }: Pick<Environment, "world">): HookContext {
  return { wire: run.hookWire, command: run.command, apiUrl: run.target.urls.api, world, env: run.env };
}
