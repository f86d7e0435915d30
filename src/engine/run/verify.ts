import { createOutcome, outcomes } from "../../common/outcomes.js";
import { openKeptSessions } from "../execute/kept-sessions.js";
import { closeKeptSessions } from "../execute/mcp-sessions.js";
import { type OpenOutages, openOutages } from "../execute/outages.js";
import type { Run } from "../execute/run.js";
import type { Wire } from "../http/rest.js";
import { ANSWER_SECONDS } from "../pacing/scenario-order.js";
import { runPreflight } from "../preflight/preflight.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Suite } from "../suite.js";
import { omitDerivedTools } from "../target/target.js";
import { judgeEvidence } from "../verdict/judge.js";
import { openCheckpoints } from "./checkpoints.js";
import { createClaim } from "./claim.js";
import { computeMaxRunTime, connect, startRun } from "./connect.js";
import { collectEvidence } from "./evidence.js";
import { execute } from "./execute.js";
import type { RunResult, VerifyOptions } from "./options.js";
import { prepare, type RunInput } from "./prepare.js";
import { createBundleParts, openRecorders } from "./recorders.js";
import { continueFrom } from "./resume.js";
import { findTargetGaps, formatGaps } from "./target-gaps.js";
import { openTimePlan } from "./time-plan.js";
import { saveBaseline, write } from "./write.js";

export type { RunResult, VerifyOptions } from "./options.js";

/** Registers a function that closes a resource after the run. */
type Defer = (close: () => Promise<unknown>) => void;

/**
 * Examines one server. Returns the report, or messages that explain why there is none. Never throws because of the server or the user's input. Closes
 * what its steps have opened, in reverse order.
 */
export async function verify(suite: Suite, options: VerifyOptions): Promise<RunResult> {
  const closers: (() => Promise<unknown>)[] = [];
  try {
    return await runSteps(suite, options, (close) => closers.unshift(close));
  } finally {
    for (const close of closers) await close();
  }
}

/** Runs the steps of `verify` from top to bottom. A step that cannot go on ends the run with its messages. */
async function runSteps(suite: Suite, verifyOptions: VerifyOptions, defer: Defer): Promise<RunResult> {
  const stop = new AbortController();
  const { signal: stopByCaller } = verifyOptions;
  const forwardStop = () => stop.abort();
  stopByCaller?.addEventListener("abort", forwardStop, { once: true });
  if (stopByCaller?.aborted) forwardStop();
  defer(async () => stopByCaller?.removeEventListener("abort", forwardStop));
  const options = { ...verifyOptions, signal: stop.signal };
  const result = await prepare(suite, options);
  if (!result.ok) return { exitCode: 2, messages: result.mistakes };

  const connected = await connect(suite, options);
  if (!connected.ok) return { exitCode: 2, messages: connected.mistakes };
  const { target, wire } = connected;
  defer(() => wire.close());

  const { outages, wire: watched, counts: losses } = createOpenOutages(options, wire, stop);
  const responses = measureResponses(watched);
  const startedRun = { ...startRun(suite, options, target, watched), wire: responses.wire };
  const started = { ...startedRun, keptSessions: openKeptSessions(target), outages };
  defer(() => closeKeptSessions(started));

  const claimResult = await createClaim(suite, options, result.input, started);
  if (!claimResult.ok) return { exitCode: 2, messages: claimResult.mistakes };
  const input: RunInput = { ...result.input, ...claimResult };

  const otherRun = input.earlier && continueFrom(input.earlier, started, input.claim);
  if (otherRun) return { exitCode: 2, messages: [otherRun.mistake] };

  const ready =
    options.preflight === false
      ? { notes: [], target: omitDerivedTools(target) }
      : await runPreflight(suite, started, input, options);
  if (ready.stop) return { exitCode: ready.stop.exitCode, messages: started.mask.hideIn([ready.stop.why, ...ready.notes]) };
  const checked = { ...started, target: ready.target };
  const timePlan = openTimePlan(suite, options, listRemaining(input), checked, responses.meanSeconds());
  defer(() => timePlan.ready);
  const hasDeadline = checked.deadlineSeconds !== undefined;
  if (hasDeadline) await timePlan.ready; // otherwise the first scenarios begin before it
  const run: Run = { ...checked, ...(hasDeadline && { hasNoTimeFor: timePlan.hasNoTimeFor }) };

  const opened = await openRecorders(suite, options, input, run, timePlan, losses);
  if (!opened.ok) return opened.result;
  const { recorders } = opened;
  defer(recorders.close);

  const startedAt = new Date();
  const common = { startedAt, notes: ready.notes };
  const results = await execute(suite, options, input, recorders, openCheckpoints({ suite, options, input, recorders, common }));
  const evidence = collectEvidence(suite, options, input, recorders, { ...common, ...results });
  const judgement = judgeEvidence(suite, evidence);
  const runResult = await write(suite, options, judgement, () => createBundleParts(suite, input, recorders, evidence));
  const saved = options.saveBaseline === undefined ? runResult : saveBaseline(suite, options.saveBaseline, evidence, runResult);
  return addAdvice(suite, input, run, saved);
}

const WAIT_FOR_SERVER_SECONDS = 60;

/** Opens the outages of a run. A server that stays away stops the run. */
function createOpenOutages(options: VerifyOptions, wire: Wire, stop: AbortController): OpenOutages {
  const { waitForServer: maxSeconds = WAIT_FOR_SERVER_SECONDS, onOutage = () => {} } = options;
  return openOutages({ wire, stop, maxSeconds, deadline: Date.now() + computeMaxRunTime(options) * 1000, onLine: onOutage });
}

/** Returns the scenarios that an earlier run has not completed. */
function listRemaining({ scenarios, earlier }: RunInput): Scenario[] {
  return scenarios.filter(({ name }) => !earlier?.scenarios.has(name));
}

/** Measures how long the server takes to answer the requests of a wire. Waits between requests do not count. */
function measureResponses(wire: Wire): { wire: Wire; meanSeconds(): number } {
  let [count, ms] = [0, 0];
  const send: Wire["send"] = async (request, signal) => {
    const exchange = await wire.send(request, signal);
    count += 1;
    ms += exchange.endedAt - exchange.startedAt;
    return exchange;
  };
  return { wire: { ...wire, send }, meanSeconds: () => (count === 0 ? ANSWER_SECONDS : ms / 1000 / count) };
}

/** Adds messages about what the target lacks, and about bindings that the server contradicted. Such a binding makes the exit code 2. */
function addAdvice(suite: Suite, { scenarios, properties, claim }: RunInput, run: Run, result: RunResult): RunResult {
  const gaps = claim ? [] : formatGaps(findTargetGaps(suite, { scenarios, properties }, run));
  const mistakes = [...run.bindingsSeen].flatMap(([name, what]) =>
    what === false ? [] : [{ path: ["bindings", ...name.split(".").slice(1)], what }],
  );
  const wrong = run.target.formatMistakes?.(mistakes) ?? [];
  const contradicted = createOutcome(outcomes.run["target-contradicted"], {});
  return {
    ...result,
    ...(wrong.length > 0 && { exitCode: 2, outcome: contradicted }),
    messages: [...result.messages, ...gaps, ...wrong],
  };
}
