import { interpolate } from "../scenario/interpolate.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { callHook, type HookAnswer } from "../target/hooks.js";
import { inconclusive, type Outcome, passed } from "./check.js";
import { hookContext } from "./clock.js";
import type { Execution } from "./execution.js";
import { save } from "./save.js";

/** Runs a drive step. */
export async function executeDrive(execution: Execution, step: CompiledStep): Promise<Outcome> {
  const answer = await driveEvent(execution, step);
  if (!answer.ok) return inconclusive(`${step.text.drive} could not be driven: ${answer.why}`);
  return answer.missing === undefined ? passed(1) : inconclusive(answer.missing);
}

/** Triggers an event of the target and saves values from the answer of its hook. `missing` names a value that the answer lacks. */
export async function driveEvent(
  execution: Execution,
  step: CompiledStep,
): Promise<HookAnswer & { missing?: string | undefined }> {
  const { drive: event = "", with: given = {} } = step.text;
  const hook = execution.environment.target.drive[event];
  if (!hook) return { ok: false, why: "the target has no hook for it" };
  const values = interpolate(given, execution.look);
  const answer = await callHook(hook, values, hookContext(execution.run, execution.environment));
  if (!answer.ok) return answer;
  execution.run.sideEffects?.recordEvent(event, values, answer.value);
  execution.driven.push({ event, values, answer: answer.value });
  const body = new TextEncoder().encode(JSON.stringify(answer.value));
  return { ...answer, missing: save(execution, step, { status: 200, headers: {}, body }) };
}
