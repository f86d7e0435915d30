import type { Row } from "../scenario/format.js";
import { interpolate } from "../scenario/interpolate.js";
import type { CompiledStep, Scenario } from "../scenario/scenario.js";
import { type Check, inconclusive, type Outcome } from "./check.js";
import { type Execution, lookAtClock } from "./execution.js";
import { runKeyword } from "./keywords.js";
import { whyStopped } from "./run.js";

/** Executes the steps of a scenario, each once a row, up to the first whose failure the others would build on; `checks` is added to on the way. */
export async function executeSteps(execution: Execution, checks: Check[]): Promise<void> {
  const { scenario, run } = execution;
  let stopped: string | undefined;
  for (const step of scenario.steps) {
    for (const [row, variables] of (step.text.rows ?? [{}]).entries()) {
      const name = step.name + (step.text.rows ? `[${row + 1}]` : "");
      stopped ??= whyStopped(run);
      const outcome: Outcome =
        stopped === undefined
          ? await executeStep(execution, step, variables)
          : { verdict: "not-observed", subjects: 0, reason: stopped };
      if (step.isCheck || outcome.verdict !== "passed") checks.push(checkOf(scenario, step, name, outcome));
      if (endsScenario(outcome, scenario, step))
        stopped ??= `not played, because ${name} ${outcome.verdict === "failed" ? "failed" : "was inconclusive"}`;
    }
  }
}

/** Executes one row of a step and says what it came to; what it saves is in the execution afterwards. */
export async function executeStep(execution: Execution, step: CompiledStep, variables: Row): Promise<Outcome> {
  await lookAtClock(execution, step);
  for (const [name, value] of Object.entries(variables)) execution.saved.set(name, interpolate(value, execution.look));
  const missing = step.variables.find((name) => execution.look(name) === undefined);
  return missing === undefined ? runKeyword(execution, step) : inconclusive(`{${missing}} has no value`);
}

/** Rows of one step do not build on each other; nor do steps of an independent scenario. */
function endsScenario({ verdict }: Outcome, { text }: Scenario, step: CompiledStep): boolean {
  return (verdict === "failed" || verdict === "inconclusive") && !text.independent && !step.text.rows;
}

function checkOf(scenario: Scenario, { clauses, file, line }: CompiledStep, name: string, outcome: Outcome): Check {
  return {
    id: `${scenario.name}/${name}`,
    scenario: scenario.name,
    step: name,
    clauses: [...clauses],
    file,
    line,
    ...outcome,
  };
}
