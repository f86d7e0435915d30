import { dirname } from "node:path";
import { listLeftovers } from "../cleanup/side-effects.js";
import { joinBundleTraces } from "../evidence/bundle/join.js";
import type { BundleParts } from "../evidence/bundle/write.js";
import { findDraft } from "../evidence/trace/draft.js";
import type { RunFacts } from "../evidence/trace/line.js";
import { openTrace, type Tracer } from "../evidence/trace/write.js";
import type { OpenOutages } from "../execute/outages.js";
import type { Run } from "../execute/run.js";
import { nameCounterexample } from "../property/counterexample.js";
import { isPropertyScenario } from "../property/result.js";
import { findReportFile } from "../report/read.js";
import type { RunEvidence } from "../report/report.js";
import type { SecondOpinion } from "../second-opinion/opinion.js";
import { openSecondOpinion } from "../second-opinion/wire.js";
import type { Suite } from "../suite.js";
import type { RunResult, VerifyOptions } from "./options.js";
import type { RunInput } from "./prepare.js";
import { countProgress, type ProgressCounter } from "./progress.js";
import type { EarlierRun } from "./resume.js";
import type { TimePlan } from "./time-plan.js";
import { writeFailure } from "./write.js";

/** A run, and the recorders of its progress, trace and second opinion. */
export interface Recorders {
  run: Run;
  progress: ProgressCounter;
  /** Writes the trace, if the options name a directory. */
  tracer?: Tracer | undefined;
  opinion?: (() => SecondOpinion) | undefined;
  /** Counts the lost connections. */
  losses: OpenOutages["counts"];
  close(): Promise<void>;
}

/** Opens the recorders that the options request: progress, leftovers, second opinion and trace. */
export async function openRecorders(
  suite: Suite,
  options: VerifyOptions,
  { scenarios, properties, earlier }: RunInput,
  ready: Run,
  { times }: Pick<TimePlan, "times">,
  losses: OpenOutages["counts"],
): Promise<{ ok: true; recorders: Recorders } | { ok: false; result: RunResult }> {
  options.onStart?.(() => ready.mask.hideIn([...ready.leftovers, ...listLeftovers(ready.open)]));
  const sizes = { scenarios: scenarios.length, properties: properties.length, before: earlier?.scenarios.size ?? 0 };
  const { tally, deadline } = ready;
  const progress = countProgress(sizes, { requests: () => tally.requests, times, deadline }, options.onProgress);
  const second = options.secondOpinion ? await openSecondOpinion(suite.document, ready.target, ready.wire) : undefined;
  if (second?.ok === false) return { ok: false, result: { exitCode: second.exitCode, messages: [second.why] } };
  const run: Run = { ...ready, onWait: progress.onWait, ...(second && { wire: second.wire }) };
  try {
    const tracer = await openTracer(options, run, earlier);
    const close = () => Promise.all([tracer?.discard(), second?.close()]).then(() => {});
    return { ok: true, recorders: { run, progress, tracer, losses, opinion: second?.opinion, close } };
  } catch (error) {
    await second?.close();
    return { ok: false, result: { exitCode: 4, messages: [writeFailure(error)] } };
  }
}

/** Returns the parts of the bundle besides the report. */
export async function createBundleParts(
  { files }: Suite,
  { waiversText, signingKey }: RunInput,
  { run, tracer }: Recorders,
  evidence: RunEvidence,
): Promise<BundleParts> {
  const waivers = waiversText && run.mask.hide(waiversText);
  const { digestInputs: inputDigests } = await import("../evidence/bundle/write.js");
  return { trace: await tracer?.close(collectFacts(evidence, inputDigests(files, waivers))), waivers, key: signingKey };
}

/** Returns the evidence that cannot be derived from the scenarios in the trace. */
function collectFacts(evidence: RunEvidence, files: RunFacts["files"]): RunFacts {
  const { target: _, url: __, mcp_revision: ___, profile: ____, waivers: _____, shortened_responses: ______, ...rest } = evidence;
  const ofProperties = ({ scenario }: { scenario: string }) => isPropertyScenario(evidence, scenario);
  return { ...rest, scenarios: rest.scenarios.filter(ofProperties), checks: rest.checks.filter(ofProperties), files };
}

/** Opens the trace. It begins with the scenarios of an earlier run, if the run continues one. */
async function openTracer({ out, resume }: VerifyOptions, run: Run, earlier?: EarlierRun): Promise<Tracer | undefined> {
  if (out === undefined) return undefined;
  const bundledTraces = resume === undefined ? undefined : joinBundleTraces([findReportFile(resume)]);
  const [bundled] = bundledTraces?.ok ? bundledTraces.traces : [];
  const trace = bundled ?? (resume === undefined ? undefined : findDraft(dirname(findReportFile(resume))));
  return openTrace(
    out,
    run,
    trace &&
      earlier && { ...("isDraft" in trace && { isDraft: true as const }), path: trace.path, scenarios: listTracedNames(earlier) },
  );
}

/** Returns the names that the trace of the earlier run contains: scenarios, and counterexamples of properties. */
function listTracedNames({ scenarios, properties }: EarlierRun): Set<string> {
  return new Set([...scenarios.keys(), ...[...properties.keys()].map(nameCounterexample)]);
}
