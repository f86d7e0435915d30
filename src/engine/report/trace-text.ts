import type { ShownStep } from "../execute/shown-steps.js";
import { answerLines, answerText, harmless, isExchange, requestLines, stepLine } from "./exchange-text.js";

/** Steps in full, one below the other: `>` what was sent, `<` what came. */
export function traceText(steps: readonly ShownStep[]): string {
  return steps.map((step, index) => stepText(step, index + 1)).join("\n\n");
}

function stepText(step: ShownStep, number: number): string {
  const heading = harmless(`${number}. ${step.step}: ${stepLine(step)}`);
  if (!isExchange(step)) return heading;
  return [
    heading,
    ...requestLines(step.request).map((line) => `   > ${harmless(line)}`),
    ...answerLines(step).map((line) => `   < ${harmless(answerText(line))}`),
  ].join("\n");
}
