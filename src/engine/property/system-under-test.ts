import { createHookContext, pause, readClock } from "../execute/clock.js";
import { NO_BUDGET } from "../execute/cost.js";
import { driveEvent } from "../execute/drive.js";
import { isDone } from "../execute/exchange.js";
import { type Execution, lookAtClock, openExecution } from "../execute/execution.js";
import { buildRequest } from "../execute/request.js";
import { hasBudgetFor, type Run } from "../execute/run.js";
import { save } from "../execute/save.js";
import { sendOnce } from "../execute/send.js";
import type { StepResult } from "../execute/send-result.js";
import { sendStep } from "../execute/send-step.js";
import { executeFinalSteps } from "../execute/tear-down.js";
import type { WireRequest, WireResponse } from "../http/exchange.js";
import { compileRequest, compileScenario, compileStep } from "../scenario/compile.js";
import type { Step } from "../scenario/format.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { hideCredentials } from "../target/credentials.js";
import { closeEnvironment, openEnvironment } from "../target/environment.js";
import { meetsNeed } from "../target/needs.js";
import type { Target } from "../target/target.js";
import type { Coverage } from "./coverage.js";
import type { SystemUnderTest } from "./property.js";

/** An open system under test. `requests` counts its requests; `close` cleans up and removes its world. */
interface OpenSystem {
  sut: SystemUnderTest;
  requests(): number;
  /** Returns whether a request got no response, so that its effect is unknown. */
  hasUnknownEffect(): boolean;
  /** Returns whether any request succeeded. */
  hasServed(): boolean;
  /** Masks the credentials of the world. Called before a result is reported. */
  hideSecrets(): void;
  close(): Promise<void>;
}

/** Opens the system of one case. `name`: name of the property; `unique`: unique name of the case. */
export async function openSystemUnderTest(
  run: Run,
  { name, unique, coverage }: { name: string; unique: string; coverage: Coverage },
): Promise<({ ok: true } & OpenSystem) | { ok: false; why: string }> {
  const hooks = createHookContext(run, { world: "" });
  const result = await openEnvironment(run.target, undefined, hooks);
  if (!result.ok) return result;
  const { environment } = result;
  const executedSteps: Step[] = [];
  const scenario = compileScenario({ scenario: name, title: name, proves: [], steps: [] }, run.suite);
  let hasUnknownEffect = false;
  const onExchange: Run["onExchange"] = (exchange) => {
    hasUnknownEffect ||= exchange.failure !== undefined;
    run.onExchange?.(exchange);
  };
  const { execution, requests } = openExecution({ ...run, onExchange }, environment, scenario, unique);
  const close = async () => {
    await executeFinalSteps(execution);
    await closeEnvironment(environment, hooks);
  };
  const sut = createSystem(execution, executedSteps, coverage);
  return {
    ok: true,
    sut,
    requests,
    hasUnknownEffect: () => hasUnknownEffect,
    hasServed: () => execution.served.names().length > 0,
    hideSecrets: () => hideCredentials(run.mask, environment),
    close,
  };
}

function createSystem(execution: Execution, executedSteps: Step[], coverage: Coverage): SystemUnderTest {
  const { run, environment } = execution;
  return {
    fresh: environment.fresh,
    steps: executedSteps,
    coverage,
    lookup: (name) => execution.look(name),
    offers: (need) => meetsNeed(need, environment.target, environment) && !(need === "surface.mcp" && run.target.mcpRefusal),
    async send(step) {
      const compiled = compileStepFor(execution, executedSteps, step);
      const unknownTime = await lookAtClock(execution, compiled);
      if (unknownTime !== undefined) return { ok: false, why: unknownTime };
      return send(execution, executedSteps, compiled);
    },
    listTools: () => listTools(execution, executedSteps),
    sendAtOnce: (steps) => Promise.all(steps.map((step) => sendOnce(execution.run, buildSystemRequest(execution, step)))),
    async drive(event, values, saved) {
      const step: Step = { drive: event, with: values, ...(saved && { save: saved }) };
      const response = await driveEvent(execution, compileStepFor(execution, executedSteps, step));
      if (response.ok) executedSteps.push(step);
      return response;
    },
    async wait(seconds) {
      const waitResult = await pause(run, environment, seconds, "time to pass");
      if (waitResult.ok) executedSteps.push({ clock: { by: `${seconds}s` } });
      return waitResult;
    },
    async now() {
      const clockReading = await readClock(run, environment);
      return clockReading.ok ? clockReading.now : new Date(run.serverClock.now());
    },
  };
}

/** The list of tools for each target. It is requested once, because each page counts against the rate of tool calls. */
const listedTools = new WeakMap<Target, Promise<StepResult>>();

async function listTools(execution: Execution, executedSteps: Step[]): Promise<StepResult> {
  const { target } = execution.run;
  const known = listedTools.get(target);
  const { yieldTurn = (doing) => doing() } = execution.run;
  const result = known && (await yieldTurn(() => known)); // the request may wait for a rate
  if (result?.ok) return result;
  const listing = send(execution, executedSteps, compileStepFor(execution, executedSteps, { mcp: { list: "tools" } }));
  listedTools.set(target, listing);
  return listing;
}

/** Builds the request of a step. Throws if a variable is missing, which is an error in the property. */
function buildSystemRequest(execution: Execution, step: Step): WireRequest {
  const buildResult = buildRequest(compileRequest(step), execution);
  if (!buildResult.ok) throw new Error(buildResult.why);
  return buildResult.request;
}

/** Compiles a step, which may repeat an executed step. */
function compileStepFor({ run, scenario }: Execution, executedSteps: readonly Step[], step: Step): CompiledStep {
  const origin = { name: step.id ?? `#${executedSteps.length + 1}`, file: scenario.file, line: scenario.line };
  return compileStep(step, { rules: run.suite, steps: executedSteps, proves: [], origin });
}

async function send(execution: Execution, executedSteps: Step[], step: CompiledStep): Promise<StepResult> {
  if (!hasBudgetFor(execution.run, step)) return { ok: false, why: NO_BUDGET };
  const result = await sendStep(execution, step);
  if (!result.ok) return result;
  const isMissing = save(execution, step, result.response) !== undefined;
  executedSteps.push(
    makeSetupStep(step.text, result.response, { missing: isMissing, refused: !isDone(execution, step, result.response) }),
  );
  return result;
}

/** Converts an executed step to a setup step of a scenario: it expects the same refusal, and saves only values that were present. */
function makeSetupStep(
  { save: saved, saveCredential, ...step }: Step,
  response: WireResponse,
  { missing, refused }: { missing: boolean; refused: boolean },
): Step {
  const given = step.mcp ? { refused: true as const } : { status: response.status };
  const kept = !missing && !refused && { ...(saved && { save: saved }), ...(saveCredential && { saveCredential }) };
  return { ...step, ...(refused && { given }), ...kept };
}
