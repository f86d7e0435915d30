import { visibleLine } from "../../common/escape/visible.js";
import type { ShownStep } from "../execute/shown-steps.js";
import { answerLines, answerText, isExchange, requestLines, stepLine } from "./exchange-text.js";

/** Steps in full, one below the other: `>` what was sent, `<` what came. */
export function traceText(steps: readonly ShownStep[]): string {
  return steps.map((step, index) => stepText(step, index + 1)).join("\n\n");
}

function stepText(step: ShownStep, number: number): string {
  const heading = visibleLine(`${number}. ${step.step}: ${stepLine(step)}`);
  if (!isExchange(step)) return heading;
  return [
    heading,
    ...requestLines(step.request).map((line) => `   > ${visibleLine(line)}`),
    ...answerLines(step).map((line) => `   < ${visibleLine(answerText(line))}`),
  ].join("\n");
}
