import { differences } from "../evidence/bundle/compare.js";
import { counterexamplesOf, withCounterexamples } from "../evidence/bundle/counterexamples.js";
import { type Bundle, openBundle } from "../evidence/bundle/open.js";
import { replayTrace, type TraceResults } from "../evidence/bundle/replay.js";
import type { RunLine } from "../evidence/trace/line.js";
import type { Run } from "../execute/run.js";
import type { Report, RunEvidence } from "../report/report.js";
import { parseScenario } from "../scenario/parse.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Suite } from "../suite.js";
import { withoutWaivers } from "../verdict/apply-waivers.js";
import { type Edition, readEdition } from "../verdict/editions.js";
import { judgeEvidence } from "../verdict/judge.js";
import { scenarioLine } from "../verdict/scenario-line.js";
import { startRun } from "./connect.js";
import type { RunResult } from "./options.js";
import { selectScenarios } from "./selection.js";

/** Which bundle is judged again, and how. */
export interface BundleOptions {
  /** Directory that `verify --out` has written. */
  bundle: string;
  /** Public key (PEM) that its signature must be of. */
  publicKey?: string;
  /** Directory of scenarios. Default: the suite's. */
  scenarios?: string;
}

/**
 * Checks that a bundle is as it was written, and judges its trace again without asking anybody. The exit code is the verdict's, as of the run
 * itself; 1 also when the bundle was changed or does not give the verdicts of its report, 2 when this package cannot judge it, 3 when it holds
 * no trace.
 */
export async function judgeBundle(suite: Suite, options: BundleOptions): Promise<RunResult> {
  const opened = await openBundle(suite.clauses, options);
  if (!opened.ok) return { exitCode: opened.exitCode, messages: opened.messages };
  const { bundle } = opened;
  const { report, trace, notices } = bundle;
  const judges = judgesOf(suite, report, options);
  if (!judges.ok) return { exitCode: 2, messages: judges.mistakes };
  const { scenarios, edition } = judges;
  if (trace === undefined) return { exitCode: 3, messages: [...notices, "it holds no trace, so it cannot be judged again"] };
  const results = await replayTrace(trace, {
    scenarios,
    counterexamples: counterexamplesOf(report, (name, yaml) => readCounterexample(suite, name, yaml)),
    startRun: (line) => startRunOf(suite, line),
  });
  const missing = missingIn(report, results);
  if (results.divergences.length === 0 && missing.length > 0)
    return {
      exitCode: 3,
      messages: [...notices, `the trace does not hold ${missing.join(", ")}, so they cannot be judged again`],
    };
  const again = judgeEvidence<RunEvidence>(suite, evidenceOf(bundle, edition, scenarios, results));
  const found = [...differences(report, again.report), ...results.divergences.map((divergence) => `${trace}: ${divergence}`)];
  if (found.length > 0) return { exitCode: 1, messages: ["the trace does not give the verdicts of report.json:", ...found] };
  return { ...again, messages: [...notices, ...summary(report, results)] };
}

/** What judges a report again: the scenarios that it selected and the edition that it claims, of the suite that judged it. */
function judgesOf(
  suite: Suite,
  report: Report,
  { scenarios: directory }: BundleOptions,
): { ok: true; scenarios: readonly Scenario[]; edition?: Edition | undefined } | { ok: false; mistakes: string[] } {
  const judgedBy = `the bundle was judged by version ${report.suite.version}`;
  const selected = selectScenarios(suite, {
    ...report.selection,
    ...(directory !== undefined && { scenarios: directory }),
  });
  if (!selected.ok) return { ok: false, mistakes: [...selected.mistakes, judgedBy] };
  const claimed = report.claim && readEdition(suite.editions, report.claim.edition);
  if (claimed?.ok === false) return { ok: false, mistakes: [claimed.mistake, judgedBy] };
  const { identity, scenarios } = selected;
  const others = [
    ...(report.suite.clauses_digest === identity.clauses_digest ? [] : ["clauses"]),
    ...(report.suite.scenarios_digest === identity.scenarios_digest ? [] : ["scenarios"]),
  ];
  if (others.length === 0) return { ok: true, scenarios, edition: claimed?.edition };
  const differs = `its ${others.join(" and ")} are not those of this version, ${identity.version}`;
  return { ok: false, mistakes: [`${judgedBy}; ${differs}: judge it with that one`] };
}

function readCounterexample(suite: Suite, name: string, yaml: string): Scenario | undefined {
  const parsed = parseScenario(name, yaml, suite);
  return parsed.ok ? parsed.scenarios[0] : undefined;
}

function startRunOf(suite: Suite, { target, profile, max_wait_s, deadline = Number.POSITIVE_INFINITY }: RunLine): Run {
  const nobody = { send: () => Promise.reject(new Error("nothing is sent when a trace is judged")), close: async () => {} };
  return { ...startRun(suite, { profile, maxWait: max_wait_s, env: {} }, target, nobody), deadline };
}

/** Scenarios of the report that the trace does not hold. */
function missingIn(report: Report, { scenarios }: TraceResults): string[] {
  const taken = takenOver(report);
  return report.scenarios.map(({ scenario }) => scenario).filter((name) => !scenarios.has(name) && !taken.has(name));
}

/** The evidence of the report with what was executed again in place of what it says; the rest is taken over. */
function evidenceOf(
  { report, waivers }: Bundle,
  edition: Edition | undefined,
  scenarios: readonly Scenario[],
  results: TraceResults,
): RunEvidence {
  const taken = takenOver(report);
  const before = withoutWaivers(report);
  const again = scenarios.flatMap(({ name }) => results.scenarios.get(name) ?? []);
  const ofProperties = before.checks.filter(({ scenario }) => taken.has(scenario));
  return {
    ...report,
    waivers,
    scenarios: [
      ...again.map((one) => scenarioLine(one, edition)),
      ...before.scenarios.filter(({ scenario }) => taken.has(scenario)),
    ],
    checks: [...again.flatMap(({ checks }) => checks), ...withCounterexamples(ofProperties, results.counterexamples)],
  };
}

/** The lines of properties: of their cases only counterexamples are in the trace. */
function takenOver({ properties }: Report): Set<string> {
  return new Set(properties.map(({ id }) => `property:${id}`));
}

function summary({ properties }: Report, { scenarios, counterexamples }: TraceResults): string[] {
  const others = properties.filter(({ id }) => !counterexamples.has(`property:${id}`));
  const failed = others.filter(({ verdict }) => verdict === "failed").map(({ id }) => id);
  return [
    `judged again from its trace: ${scenarios.size} scenarios, the same verdicts`,
    ...(counterexamples.size > 0 ? [`and ${counterexamples.size} counterexamples of properties, which fail again`] : []),
    ...(others.length > 0 ? [`taken over from report.json: ${others.length} properties, whose cases are not in the trace`] : []),
    ...(failed.length > 0 ? [`among them the failures of ${failed.join(", ")}, which were seen once`] : []),
  ];
}
