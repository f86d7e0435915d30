import type { Check } from "../../execute/check.js";
import type { ScenarioResult } from "../../execute/result.js";
import type { Run } from "../../execute/run.js";
import { executeOnce } from "../../execute/scenario.js";
import { compileScenario } from "../../scenario/compile.js";
import type { ResponseText, ScenarioText, Step } from "../../scenario/format.js";
import type { HookEffect } from "../../target/rules.js";
import type { EntryCheck } from "./check-credentials.js";

const BEFORE_EVENT = "before the event";
const EVENT_PLACE = "event";
const AFTER_EVENT = "after the event";

/**
 * Calls a hook and reads whether each of its effects can be seen on the server. Undoes the event and its setup. The first effect that cannot be
 * seen decides.
 */
export async function checkEffects(run: Run, entry: string, effects: readonly HookEffect[]): Promise<EntryCheck> {
  const entryChecks: EntryCheck[] = [];
  for (const [index, effect] of effects.entries()) {
    const entryCheck = await checkEffect(run, entry, effect, `${run.id}-${entry.replaceAll(/\W/g, "-")}-${index}`);
    if (entryCheck.state !== "works") return entryCheck;
    entryChecks.push(entryCheck);
  }
  return { entry, state: "works", message: entryChecks.map(({ message }) => message).join("; ") };
}

async function checkEffect(run: Run, entry: string, effect: HookEffect, unique: string): Promise<EntryCheck> {
  const result = await runEffect(run, entry, { effect, answer: effect.after, unique });
  const { state, message } = describeState(result, effect);
  if (state !== "wrong" || !result.checks.some(isUnseen)) return { entry, state, message };
  // the same difference as before the event means that the hook did nothing
  const repeatedScenarioResult = await runEffect(run, entry, { effect, answer: effect.before, unique: `${unique}-again` });
  const nothing = repeatedScenarioResult.verdict === "passed";
  return { entry, state, message: `it did ${nothing ? "nothing that a caller sees" : "something else"}: ${message}` };
}

function runEffect(
  run: Run,
  entry: string,
  { effect, answer: response, unique }: { effect: HookEffect; answer: ResponseText; unique: string },
): Promise<ScenarioResult> {
  const { needs = [], setup, event, afterwards = [], shown, before, isUnsafeBefore, finally: last = [] } = effect;
  const earlier: Step[] = isUnsafeBefore ? [] : [{ ...removePolling(shown), id: BEFORE_EVENT, given: before }];
  const text: ScenarioText = {
    scenario: `check of ${entry}`,
    title: `The effect of ${entry} can be seen: ${effect.says}`,
    proves: [],
    needs: [...needs],
    steps: [...setup, ...earlier, { ...event, id: EVENT_PLACE }, ...afterwards, { ...shown, id: AFTER_EVENT, expect: response }],
    finally: [...last],
  };
  return executeOnce(run, compileScenario(text, run.suite), unique);
}

/** The state before the event already exists, so the step does not wait. */
function removePolling({ until: _, ...step }: Step): Step {
  return step;
}

function describeState(
  { verdict, reason, missing = [], checks }: ScenarioResult,
  effect: HookEffect,
): Pick<EntryCheck, "state" | "message"> {
  if (verdict === "not-applicable") return { state: "not tried", message: `to try it, add ${missing.join(" and ") || reason}` };
  if (verdict === "passed") return { state: "works", message: `after it, ${effect.says}` };
  const event = checks.find(({ step }) => step === EVENT_PLACE);
  if (event && event.blocked_by === undefined) return { state: "wrong", message: `it fails: ${event.reason}` };
  const unseenCheck = checks.find(isUnseen);
  if (unseenCheck) {
    const { expected, actual, reason: why } = unseenCheck;
    const difference = actual === undefined ? why : `expected ${expected}, got ${actual}`;
    return { state: "wrong", message: `after it, ${effect.says} is not true: ${describeRequest(effect.shown)}: ${difference}` };
  }
  return { state: "unclear", message: `it could not be tried: ${reason ?? verdict}` };
}

/** Returns whether a check saw a response that does not show the effect. */
function isUnseen({ step, verdict, blocked_by, basis, incomplete }: Check): boolean {
  return step === AFTER_EVENT && verdict !== "passed" && blocked_by === undefined && basis !== "no-answer" && !incomplete;
}

function describeRequest({ rest = "", as }: Step): string {
  return as === undefined ? rest : `${rest} as ${as}`;
}
