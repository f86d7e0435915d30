import { cleanUp, stopStartedWork } from "../cleanup/clean-up.js";
import type { Execution } from "./execution.js";
import { closeMcpSessions } from "./mcp-sessions.js";
import { executeStep } from "./steps.js";
import { undoActions } from "./undo.js";

/**
 * Executes the `finally` steps and undoes the remaining side effects, also when the run is being stopped. Skips a step whose variables were
 * never saved.
 */
export async function executeFinalSteps(execution: Execution): Promise<void> {
  const { onExchange: _, ...run } = execution.run;
  run.onStep?.("finally");
  const forCleanup = { ...execution, run: { ...run, signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY } };
  const { sideEffects, profile, leftovers, open } = forCleanup.run;
  if (sideEffects) await stopStartedWork(undoActions(forCleanup), sideEffects);
  for (const step of execution.scenario.finally) await executeStep(forCleanup, step, {});
  if (sideEffects) {
    const { allow } = execution.environment.target;
    leftovers.push(...(await cleanUp(undoActions(forCleanup), sideEffects, { profile, allow })));
    open.delete(sideEffects);
  }
  if (forCleanup.mcpSessions.size > 0) await closeMcpSessions(forCleanup);
}
