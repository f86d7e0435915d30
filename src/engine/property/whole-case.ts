import { isDeepStrictEqual } from "node:util";
import type { SeriesRequest, Step } from "../scenario/format.js";

/**
 * Adds to a failure the other steps that its case executed before the judged step, because the failure may depend on them.
 * Returns undefined if the case did not execute all steps of the failure in this order.
 */
export function addWholeCase(executedSteps: readonly Step[], failure: readonly Step[]): Step[] | undefined {
  const namedSteps = failure.flatMap(splitStep);
  const steps: Step[] = [];
  let remainingSteps = executedSteps;
  for (const step of namedSteps.toReversed()) {
    const place = remainingSteps.findLastIndex((one) => isSameRequest(one, step));
    if (place < 0) return undefined;
    // steps after the judged step are not needed
    if (steps.length > 0) steps.unshift(...remainingSteps.slice(place + 1));
    steps.unshift(steps.length > 0 ? mergeSteps(remainingSteps[place] as Step, step) : step);
    remainingSteps = remainingSteps.slice(0, place);
  }
  return [...remainingSteps, ...steps];
}

/** Expands a burst to one step for each request. */
function splitStep(step: Step): Step[] {
  const { burst } = step;
  if (!burst) return [step];
  const { requests, n, ...common } = burst;
  return Array.from(
    { length: n },
    (_, at) => ({ ...common, ...requests?.[at % requests.length] }) satisfies Partial<SeriesRequest>,
  );
}

/** Returns whether two steps send the same request. Expectations and saved values may differ. */
function isSameRequest(step: Step, otherStep: Step): boolean {
  return isDeepStrictEqual(copyRequestPart(step), copyRequestPart(otherStep));
}

function copyRequestPart({
  id,
  given,
  expect,
  save,
  saveCredential,
  retry,
  effect,
  until,
  observe,
  inconclusiveIf,
  control,
  proves,
  ...act
}: Step) {
  return act;
}

/** Merges an executed step with the same step of the failure. Fields of the failure have precedence. */
function mergeSteps({ save, saveCredential, ...seen }: Step, step: Step): Step {
  const [saves, keys] = [
    { ...save, ...step.save },
    { ...saveCredential, ...step.saveCredential },
  ];
  return {
    ...seen,
    ...step,
    ...(Object.keys(saves).length > 0 && { save: saves }),
    ...(Object.keys(keys).length > 0 && { saveCredential: keys }),
  };
}
