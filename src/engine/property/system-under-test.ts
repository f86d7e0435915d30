import { hookContext, pause, readClock } from "../execute/clock.js";
import { NO_BUDGET } from "../execute/cost.js";
import { driveEvent } from "../execute/drive.js";
import { isDone } from "../execute/exchange.js";
import { type Execution, lookAtClock, openExecution } from "../execute/execution.js";
import type { StepReply } from "../execute/reply.js";
import { buildRequest } from "../execute/request.js";
import { affords, type Run } from "../execute/run.js";
import { save } from "../execute/save.js";
import { sendOnce } from "../execute/send.js";
import { sendStep } from "../execute/send-step.js";
import { tearDown } from "../execute/tear-down.js";
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

/** A system under test with the count of its requests; `close` tidies up and gives its world back. */
interface OpenSystem {
  sut: SystemUnderTest;
  requests(): number;
  /** Whether a request of it got no answer, so that nobody knows what it did. */
  lost(): boolean;
  /** Masks the credentials of its world, before anything that was seen here is reported. */
  hideSecrets(): void;
  close(): Promise<void>;
}

/** Opens the system of one case. `name` is the property's; `unique` sets the case apart from every other. */
export async function openSystemUnderTest(
  run: Run,
  { name, unique, coverage }: { name: string; unique: string; coverage: Coverage },
): Promise<({ ok: true } & OpenSystem) | { ok: false; why: string }> {
  const hooks = hookContext(run, { world: "" });
  const opened = await openEnvironment(run.target, undefined, hooks);
  if (!opened.ok) return opened;
  const { environment } = opened;
  const played: Step[] = [];
  const scenario = compileScenario({ scenario: name, title: name, proves: [], steps: [] }, run.suite);
  let lost = false;
  const onExchange: Run["onExchange"] = (exchange) => {
    lost ||= exchange.failure !== undefined;
    run.onExchange?.(exchange);
  };
  const { execution, requests } = openExecution({ ...run, onExchange }, environment, scenario, unique);
  const close = async () => {
    await tearDown(execution);
    await closeEnvironment(environment, hooks);
  };
  const sut = systemOf(execution, played, coverage);
  return { ok: true, sut, requests, lost: () => lost, hideSecrets: () => hideCredentials(run.mask, environment), close };
}

function systemOf(execution: Execution, played: Step[], coverage: Coverage): SystemUnderTest {
  const { run, environment } = execution;
  return {
    fresh: environment.fresh,
    steps: played,
    coverage,
    look: (name) => execution.look(name),
    offers: (need) => meetsNeed(need, environment.target, environment),
    async send(step) {
      const compiled = compiledFor(execution, played, step);
      await lookAtClock(execution, compiled);
      return send(execution, played, compiled);
    },
    tools: () => listTools(execution, played),
    together: (steps) => Promise.all(steps.map((step) => sendOnce(execution.run, requestOf(execution, step)))),
    async drive(event, values, saved) {
      const step: Step = { drive: event, with: values, ...(saved && { save: saved }) };
      const answer = await driveEvent(execution, compiledFor(execution, played, step));
      if (answer.ok) played.push(step);
      return answer;
    },
    async wait(seconds) {
      const waited = await pause(run, environment, seconds, "time to pass");
      if (waited.ok) played.push({ clock: { by: `${seconds}s` } });
      return waited;
    },
    now: async () => (await readClock(run, environment)) ?? new Date(run.serverClock.now()),
  };
}

/** What targets have listed, or are about to: their tools stay, and each page of the list counts against the rate of tool calls. */
const listed = new WeakMap<Target, Promise<StepReply>>();

async function listTools(execution: Execution, played: Step[]): Promise<StepReply> {
  const { target } = execution.run;
  const known = listed.get(target);
  const { yieldTurn = (doing) => doing() } = execution.run;
  const reply = known && (await yieldTurn(() => known)); // whoever asks may be waiting
  if (reply?.ok) return reply;
  const listing = send(execution, played, compiledFor(execution, played, { mcp: { list: "tools" } }));
  listed.set(target, listing);
  return listing;
}

/** The request of a step of many; one that lacks a variable is a fault of its property. */
function requestOf(execution: Execution, step: Step): WireRequest {
  const prepared = buildRequest(compileRequest(step), execution);
  if (!prepared.ok) throw new Error(prepared.why);
  return prepared.request;
}

/** A step with all that follows from its text; it may repeat one that was sent. */
function compiledFor({ run, scenario }: Execution, played: readonly Step[], step: Step): CompiledStep {
  const origin = { name: step.id ?? `#${played.length + 1}`, file: scenario.file, line: scenario.line };
  return compileStep(step, { rules: run.suite, steps: played, proves: [], origin });
}

async function send(execution: Execution, played: Step[], step: CompiledStep): Promise<StepReply> {
  if (!affords(execution.run, step)) return { ok: false, why: NO_BUDGET };
  const reply = await sendStep(execution, step);
  if (!reply.ok) return reply;
  const missing = save(execution, step, reply.response) !== undefined;
  played.push(asSetupStep(step.text, reply.response, { missing, refused: !isDone(execution, step, reply.response) }));
  return reply;
}

/** A step as it must stand in a scenario to be executed again: a refusal was meant, and what was not there cannot be saved. */
function asSetupStep(
  { save: saved, saveKey, ...step }: Step,
  response: WireResponse,
  { missing, refused }: { missing: boolean; refused: boolean },
): Step {
  const given = step.mcp ? { refused: true as const } : { status: response.status };
  const kept = !missing && !refused && { ...(saved && { save: saved }), ...(saveKey && { saveKey }) };
  return { ...step, ...(refused && { given }), ...kept };
}
