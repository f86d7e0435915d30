import { interpolate } from "../scenario/interpolate.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { callHook, type HookResponse } from "../target/hooks.js";
import { createInconclusiveOutcome, createPassedOutcome, type Outcome } from "./check.js";
import { createHookContext } from "./clock.js";
import type { Execution } from "./execution.js";
import { save } from "./save.js";

/** Runs a drive step. */
export async function executeDrive(execution: Execution, step: CompiledStep): Promise<Outcome> {
  const response = await driveEvent(execution, step);
  if (!response.ok) return createInconclusiveOutcome(`${step.text.drive} could not be driven: ${response.why}`);
  return response.missing === undefined ? createPassedOutcome(1) : createInconclusiveOutcome(response.missing);
}

/** Triggers an event of the target and saves values from the response of its hook. `missing` names a value that the response lacks. */
export async function driveEvent(
  execution: Execution,
  step: CompiledStep,
): Promise<HookResponse & { missing?: string | undefined }> {
  const { drive: event = "", with: given = {} } = step.text;
  const hook = execution.environment.target.drive[event];
  if (!hook) return { ok: false, why: "the target has no hook for it" };
  const values = interpolate(given, execution.look);
  const response = await callHook(hook, values, createHookContext(execution.run, execution.environment));
  if (!response.ok) return response;
  execution.run.sideEffects?.recordEvent(event, values, response.value);
  execution.driven.push({ event, values, answer: response.value });
  const body = new TextEncoder().encode(JSON.stringify(response.value));
  return { ...response, missing: save(execution, step, { status: 200, headers: {}, body }) };
}
