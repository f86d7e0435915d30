import { setTimeout as sleep } from "node:timers/promises";
import type { ClockText } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import { callHook, type HookAnswer } from "../target/hooks.js";
import type { Stage } from "../target/stage.js";
import type { Run } from "./run.js";

/** Whether time passed, or why it could not. */
export type Passed = { ok: true } | { ok: false; why: string };

/** Lets time pass: by the target's clock where it has one, else by sleeping, never longer than the run allows. */
export async function pause(run: Run, stage: Stage, seconds: number): Promise<Passed> {
  if (stage.target.clock) return moveClock(run, stage, { by: `${seconds}s` });
  if (seconds > run.maxWaitSeconds)
    return { ok: false, why: `it would take a wait of ${seconds} s, and at most ${run.maxWaitSeconds} s are allowed` };
  run.tally.waitedSeconds += seconds;
  await sleep(seconds * 1000, undefined, { signal: run.signal }).catch(() => {});
  return run.signal.aborted ? { ok: false, why: "the run was stopped" } : { ok: true };
}

/** Moves the target's clock by its hook. */
export async function moveClock(run: Run, stage: Stage, change: ClockText): Promise<Passed> {
  const hook = stage.target.clock?.advance;
  if (!hook) return { ok: false, why: "the target has no clock to move" };
  const answer = await callHook(hook, change, hookContext(run, stage));
  return answer.ok ? { ok: true } : answer;
}

/** The target's time: by its clock where it has one, else ours. */
export async function readClock(run: Run, stage: Stage): Promise<Date> {
  const hook = stage.target.clock?.now;
  const answer: HookAnswer = hook ? await callHook(hook, {}, hookContext(run, stage)) : { ok: true, value: null };
  const now = answer.ok && isRecord(answer.value) ? new Date(String(answer.value.now)) : new Date();
  return Number.isNaN(now.getTime()) ? new Date() : now;
}

/** What hooks of this stage are called with. */
export function hookContext(run: Run, stage: Stage) {
  return { wire: run.wire, apiUrl: run.target.urls.api, world: stage.world, env: run.env };
}
