import type { ClockText } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Environment } from "../target/environment.js";
import { callHook, type HookContext } from "../target/hooks.js";
import type { WaitResult } from "./reply.js";
import type { Run } from "./run.js";

/**
 * Lets time pass: moves the target's clock if this is possible, else sleeps. Refuses a wait that is longer than the run allows. `what` names
 * the reason of the wait in the progress output.
 */
export async function pause(run: Run, environment: Environment, seconds: number, what: string): Promise<WaitResult> {
  const passed = isMovable(run, environment)
    ? await moveClock(run, environment, { by: `${seconds}s` })
    : await sleepFor(run, seconds, what);
  if (passed.ok) run.throttle.advanceClock(seconds);
  return passed;
}

/** Returns whether the runner moves the target's clock instead of sleeping. A read-only run never moves a clock that others use. */
function isMovable({ profile }: Run, { target, fresh }: Environment): boolean {
  return target.clock !== undefined && (fresh || profile !== "read-only");
}

async function sleepFor(run: Run, seconds: number, what: string): Promise<WaitResult> {
  const long = `this needs a wait of ${Math.ceil(seconds)} s`;
  if (seconds > run.maxWaitSeconds) return { ok: false, why: `${long}, but the longest allowed wait is ${run.maxWaitSeconds} s` };
  if (Number.isFinite(run.deadline) && run.now() + seconds * 1000 > run.deadline)
    return { ok: false, why: `${long}, but the run has less time left` };
  run.onWait?.(what, seconds);
  const lateSeconds = await run.sleep(seconds, run.signal);
  return run.signal.aborted ? { ok: false, why: "the run was stopped" } : { ok: true, lateSeconds };
}

/** Calls the target's hook that moves its clock. */
export async function moveClock(run: Run, environment: Environment, change: ClockText): Promise<WaitResult> {
  const hook = environment.target.clock?.advance;
  if (!hook) return { ok: false, why: "the target has no clock to move" };
  const answer = await callHook(hook, change, hookContext(run, environment));
  return answer.ok ? { ok: true } : answer;
}

/** Returns the target's time: from its clock if it has one, else from the `Date` of its answers. Returns undefined if its clock does not answer. */
export async function readClock(run: Run, environment: Environment): Promise<Date | undefined> {
  const hook = environment.target.clock?.now;
  if (!hook) return new Date(run.serverClock.now());
  const answer = await callHook(hook, {}, hookContext(run, environment));
  if (!answer.ok) return undefined;
  const now = isRecord(answer.value) ? Date.parse(String(answer.value.now)) : Number.NaN;
  return new Date(Number.isNaN(now) ? run.serverClock.now() : now);
}

/** Returns the context in which the runner calls hooks in this environment. */
export function hookContext(run: Run, { world }: Pick<Environment, "world">): HookContext {
  return { wire: run.hookWire, command: run.command, apiUrl: run.target.urls.api, world, env: run.env };
}
