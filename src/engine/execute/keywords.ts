import type { Keyword } from "../scenario/format.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { executeBurst } from "./burst.js";
import { createInconclusiveOutcome, type Outcome } from "./check.js";
import { NO_BUDGET } from "./cost.js";
import { executeDrive } from "./drive.js";
import { executeEachTool } from "./each-tool.js";
import { executeExchange } from "./exchange.js";
import type { Execution } from "./execution.js";
import { moveClockOrWait } from "./let-time-pass.js";
import { executeRace } from "./race.js";
import { hasBudgetFor } from "./run.js";

/** The function that runs the steps of each keyword. `scenario/keywords.ts` has the other rules of each keyword. */
const runs = {
  rest: executeExchange,
  repeat: executeExchange,
  mcp: (execution, step) => (step.text.mcp?.eachTool ? executeEachTool : executeExchange)(execution, step),
  drive: executeDrive,
  clock: moveClockOrWait,
  burst: executeBurst,
  race: executeRace,
} satisfies Record<Keyword, (execution: Execution, step: CompiledStep) => Promise<Outcome>>;

/** Runs one step. A step that may start more paid work than the budget allows is inconclusive. */
export async function runKeyword(execution: Execution, step: CompiledStep): Promise<Outcome> {
  if (!hasBudgetFor(execution.run, step)) return createInconclusiveOutcome(NO_BUDGET);
  return runs[step.keyword](execution, step);
}
