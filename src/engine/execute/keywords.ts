import type { Keyword } from "../scenario/format.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { executeBurst } from "./burst.js";
import { inconclusive, type Outcome } from "./check.js";
import { NO_BUDGET } from "./cost.js";
import { executeDrive } from "./drive.js";
import { executeEachTool } from "./each-tool.js";
import { executeExchange } from "./exchange.js";
import type { Execution } from "./execution.js";
import { letTimePass } from "./let-time-pass.js";
import { executeRace } from "./race.js";
import { affords } from "./run.js";

/** How a step of each keyword is run; all else that is to be known of it stands in `scenario/keywords.ts`. */
const runs = {
  rest: executeExchange,
  repeat: executeExchange,
  mcp: (execution, step) => (step.text.mcp?.eachTool ? executeEachTool : executeExchange)(execution, step),
  drive: executeDrive,
  clock: letTimePass,
  burst: executeBurst,
  race: executeRace,
} satisfies Record<Keyword, (execution: Execution, step: CompiledStep) => Promise<Outcome>>;

/** Runs one step, unless it may start paid work for which there is no budget any more. */
export async function runKeyword(execution: Execution, step: CompiledStep): Promise<Outcome> {
  if (!affords(execution.run, step)) return inconclusive(NO_BUDGET);
  return runs[step.keyword](execution, step);
}
