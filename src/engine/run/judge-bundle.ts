import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { abbreviateList } from "../../common/abbreviate-list.js";
import { createOutcome, outcomes } from "../../common/outcomes.js";
import { hasSameChecks, listDifferences } from "../evidence/bundle/compare.js";
import { addCounterexamples, readCounterexamples } from "../evidence/bundle/counterexamples.js";
import { bundleFiles, hashContent } from "../evidence/bundle/files.js";
import { type Bundle, openBundle } from "../evidence/bundle/open.js";
import { type RunPart, replayTrace, type TraceResults } from "../evidence/bundle/replay.js";
import type { RunLine } from "../evidence/trace/line.js";
import type { Check } from "../execute/check.js";
import { openKeptSessions } from "../execute/kept-sessions.js";
import type { ScenarioResult } from "../execute/result.js";
import type { Run } from "../execute/run.js";
import { parseForms, renderFiles } from "../report/forms.js";
import type { Report, RunEvidence } from "../report/report.js";
import { parseScenario } from "../scenario/parse.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Suite } from "../suite.js";
import { removeWaivers } from "../verdict/apply-waivers.js";
import { type Edition, readEdition } from "../verdict/editions.js";
import { judgeEvidence } from "../verdict/judge.js";
import { createScenarioEntry, type ScenarioEntry } from "../verdict/scenario-entry.js";
import { startRun } from "./connect.js";
import { readServerRevision } from "./evidence.js";
import { joinShards } from "./join-shards.js";
import type { RunResult } from "./options.js";
import { selectScenarios } from "./selection.js";

/** Options for judging a bundle again. */
export interface BundleOptions {
  /** Output directory of `verify --out`. */
  bundle: string;
  /** Public key (PEM) that must verify its signature. */
  publicKey?: string;
  /** Directory of scenarios. Default: the suite's. */
  scenarios?: string;
}

/** The result of judging a bundle again. */
export interface BundleResult extends RunResult {
  /** The report of a bundle whose files match its statement, but that another version of the suite judged. Nothing verifies its verdicts. */
  otherSuite?: Report;
}

/**
 * Checks that a bundle is unchanged, and judges its trace again without sending requests. The exit code is that of the run. Other
 * exit codes: 1 if the bundle was changed or its verdicts differ, 2 if this package cannot judge it, 3 if it has no trace.
 */
export async function judgeBundle(suite: Suite, options: BundleOptions): Promise<BundleResult> {
  const ledger = { clauses: suite.clauses, digest: suite.identify([]).clauses_digest };
  const bundleResult = await openBundle(ledger, options);
  if (!bundleResult.ok) return bundleResult.exitCode === 1 ? isChanged(bundleResult.messages) : isUnusable(bundleResult.messages);
  const { bundle } = bundleResult;
  const { report, trace, notices, digests } = bundle;
  const result = selectForReport(suite, report, options);
  if (!result.ok)
    return {
      ...isUnusable([...result.mistakes, ...listRemovedClauses(suite, bundle)]),
      ...(result.isOther && { otherSuite: report }),
    };
  const { scenarios, edition } = result;
  if (trace === undefined) return { exitCode: 3, outcome: createOutcome(outcomes.bundle["no-trace"], {}), messages: notices };
  const results = await replayTrace(trace, {
    scenarios,
    counterexamples: readCounterexamples(report, (name, yaml) => readCounterexample(suite, name, yaml)),
    startRun: (line) => createStartRun(suite, line),
  });
  if (results.mistake !== undefined) return isChanged([results.mistake]);
  const missing = listMissing(report, results);
  if (results.divergences.length === 0 && missing.length > 0)
    return {
      exitCode: 3,
      outcome: createOutcome(outcomes.bundle["incomplete-trace"], { count: missing.length }),
      messages: [...notices, `the trace does not contain ${abbreviateList(missing).join(", ")}`],
    };
  const unjudged = listUnjudged(report, results);
  const diverged = results.divergences
    .filter(({ scenario = "" }) => !unjudged.has(scenario))
    .map(({ why }) => `${trace}: ${why}`);
  const evidence = collectEvidence(suite, bundle, edition, scenarios, { results, unjudged });
  const repeatedJudgement = judgeEvidence<RunEvidence>(suite, evidence);
  const changed = [
    ...abbreviateList(listDifferences(report, repeatedJudgement.report)),
    ...listChangedInputs(report, digests, results.runs),
    ...abbreviateList(diverged),
  ];
  if (changed.length > 0) return { exitCode: 1, outcome: createOutcome(outcomes.bundle["other-results"], {}), messages: changed };
  const files = await listChangedFiles(suite, options.bundle, report, digests);
  if (files.length > 0) return isChanged(files);
  if (unjudged.size > 0)
    return {
      exitCode: 3,
      outcome: createOutcome(outcomes.bundle["shortened-answers"], { count: unjudged.size }),
      messages: [...notices, ...summarize(report, results), describeUnjudged(unjudged)],
    };
  return { ...repeatedJudgement, messages: [...notices, ...summarize(report, results)] };
}

/** Returns a message for each waiver of a clause that this version does not have. */
function listRemovedClauses(suite: Suite, { waivers }: Bundle): string[] {
  return waivers
    .filter(({ clause }) => !Object.hasOwn(suite.clauses, clause))
    .map(({ clause, ticket }) => `${bundleFiles.waivers} waives ${clause} (${ticket}), which this version does not have.`);
}

function isChanged(messages: string[]): RunResult {
  return { exitCode: 1, outcome: createOutcome(outcomes.bundle.changed, {}), messages };
}

function isUnusable(messages: string[]): RunResult {
  return { exitCode: 2, outcome: createOutcome(outcomes.bundle.unusable, {}), messages };
}

/** Returns scenarios whose results differ from the report, but whose answers are shortened in the trace. They cannot be judged again. */
function listUnjudged(report: Report, { scenarios, shortened, divergences }: TraceResults): Set<string> {
  const { checks } = removeWaivers(report);
  return new Set(
    [...shortened.keys()].filter((name) => {
      const repeatedScenarioResult = scenarios.get(name);
      const ownChecks = checks.filter(({ scenario }) => scenario === name);
      const { served = [] } = report.scenarios.find(({ scenario }) => scenario === name) ?? {};
      const isSame =
        repeatedScenarioResult &&
        hasSameChecks(ownChecks, repeatedScenarioResult.checks) &&
        isDeepStrictEqual(repeatedScenarioResult.served ?? [], served);
      return divergences.some(({ scenario }) => scenario === name) || (repeatedScenarioResult && !isSame);
    }),
  );
}

function describeUnjudged(unjudged: ReadonlySet<string>): string {
  return `not judged again, because their answers are shortened in the trace: ${[...unjudged].join(", ")}. Their results are those in report.json.`;
}

/** Returns a message for each file in the bundle that differs from the file that the run used. Merged shards may have different waiver files. */
function listChangedInputs(report: Report, digests: ReadonlyMap<string, string>, runs: readonly RunPart[]): string[] {
  const [first] = runs;
  const names = [bundleFiles.quality, ...(isMerged(report, runs) ? [] : [bundleFiles.waivers])];
  const digestsInTrace = { [bundleFiles.quality]: first?.facts.files.quality, [bundleFiles.waivers]: first?.facts.files.waivers };
  return names
    .filter((name) => digests.get(name) !== digestsInTrace[name])
    .map((name) => `${name} is not the file that the run used`);
}

/** Tells whether a report was merged from shards. */
function isMerged({ selection }: Report, [first]: readonly RunPart[]): boolean {
  return selection.shard === undefined && first?.facts.selection.shard !== undefined;
}

/** Returns a message for each file of the bundle that does not follow from its report. */
async function listChangedFiles(
  suite: Suite,
  directory: string,
  report: Report,
  digests: ReadonlyMap<string, string>,
): Promise<string[]> {
  const files = await renderFiles(report, suite, parseForms([...digests.keys()]));
  const extra = [...digests.keys()].filter((name) => !isKnown(name) && !files.some((file) => file.name === name));
  return [
    ...files
      .filter(({ name, text }) => digests.get(name) !== hashContent(text))
      .map(({ name }) => `${join(directory, name)} does not match report.json`),
    ...extra.map((name) => `${join(directory, name)} does not belong to a bundle`),
  ];
}

function isKnown(name: string): boolean {
  return (Object.values(bundleFiles) as string[]).includes(name);
}

/** Selects the scenarios and the edition of a report. The suite must be the one that judged the report. */
function selectForReport(
  suite: Suite,
  report: Report,
  { scenarios: directory }: BundleOptions,
):
  | { ok: true; scenarios: readonly Scenario[]; edition?: Edition | undefined }
  | { ok: false; mistakes: string[]; isOther: boolean } {
  const judgedBy = `the bundle was judged by version ${report.suite.version}`;
  const selectionResult = selectScenarios(suite, {
    ...report.selection,
    ...(directory !== undefined && { scenarios: directory }),
  });
  const isOther = report.suite.version !== suite.identify([]).version;
  if (!selectionResult.ok) return { ok: false, mistakes: [...selectionResult.mistakes, judgedBy], isOther };
  const result = report.claim?.edition === undefined ? undefined : readEdition(suite.editions, report.claim.edition);
  if (result?.ok === false) return { ok: false, mistakes: [result.mistake, judgedBy], isOther };
  const { identity, scenarios } = selectionResult;
  const changed = [
    ...(report.suite.clauses_digest === identity.clauses_digest ? [] : ["clauses"]),
    ...(report.suite.scenarios_digest === identity.scenarios_digest ? [] : ["scenarios"]),
  ];
  if (changed.length === 0) return { ok: true, scenarios, edition: result?.edition };
  const differs = `its ${changed.join(" and ")} differ from this version, ${identity.version}`;
  return { ok: false, mistakes: [`${judgedBy}; ${differs}. Judge it with version ${report.suite.version}.`], isOther };
}

function readCounterexample(suite: Suite, name: string, yaml: string): Scenario | undefined {
  const parseResult = parseScenario(name, yaml, suite);
  return parseResult.ok ? parseResult.scenarios[0] : undefined;
}

function createStartRun(suite: Suite, line: RunLine): Run {
  const { target, profile, max_wait_s, deadline = Number.POSITIVE_INFINITY, deadline_s: deadlineSeconds, keeps_sessions } = line;
  const noWire = { send: () => Promise.reject(new Error("a trace is judged without sending requests")), close: async () => {} };
  const keptSessions = keeps_sessions && openKeptSessions(target);
  return {
    ...startRun(suite, { profile, maxWait: max_wait_s, env: {} }, target, noWire),
    deadline,
    deadlineSeconds,
    keptSessions,
  };
}

/** Returns the scenarios of the report that the trace does not contain. */
function listMissing(report: Report, { scenarios }: TraceResults): string[] {
  const properties = listPropertyNames(report);
  return report.scenarios.map(({ scenario }) => scenario).filter((name) => !scenarios.has(name) && !properties.has(name));
}

/** Returns the evidence from the trace. Results that cannot be judged again come from the report. */
function collectEvidence(
  suite: Suite,
  { report, waivers }: Bundle,
  edition: Edition | undefined,
  scenarios: readonly Scenario[],
  { results, unjudged }: { results: TraceResults; unjudged: ReadonlySet<string> },
): RunEvidence {
  const before = removeWaivers(report);
  const getLine = (repeatedScenarioResult: ScenarioResult): ScenarioEntry =>
    (unjudged.has(repeatedScenarioResult.scenario.name) &&
      before.scenarios.find(({ scenario }) => scenario === repeatedScenarioResult.scenario.name)) ||
    createScenarioEntry(repeatedScenarioResult, edition);
  const getChecks = ({ scenario: { name }, checks }: ScenarioResult): readonly Check[] =>
    unjudged.has(name) ? before.checks.filter(({ scenario }) => scenario === name) : checks;
  const shards = results.runs.map(({ line, facts, scenarios: own, shortened }) => {
    const { files: _, ...rest } = facts;
    const repeatedScenarioResults = scenarios.flatMap(({ name }) => (own.has(name) ? (results.scenarios.get(name) ?? []) : []));
    const evidence: RunEvidence = {
      ...rest,
      ...{
        target: line.target.name,
        url: line.target.urls.api,
        ...readServerRevision(line.target),
        profile: line.profile,
        waivers,
      },
      scenarios: [...repeatedScenarioResults.map(getLine), ...facts.scenarios],
      checks: [...repeatedScenarioResults.flatMap(getChecks), ...addCounterexamples(facts.checks, results.counterexamples)],
      ...(shortened > 0 && { shortened_responses: shortened }),
    };
    return { index: facts.selection.shard?.index ?? 1, of: facts.selection.shard?.of ?? 1, report: evidence };
  });
  const [first] = shards;
  if (!first) throw new Error("the trace has no run");
  return isMerged(report, results.runs) ? joinShards(suite, first.of, shards) : first.report;
}

/** Returns the names of properties. The trace contains only their counterexamples. */
function listPropertyNames({ properties }: Report): Set<string> {
  return new Set(properties.map(({ id }) => `property:${id}`));
}

function summarize({ properties }: Report, { scenarios, counterexamples }: TraceResults): string[] {
  const otherPropertyEntries = properties.filter(({ id }) => !counterexamples.has(`property:${id}`));
  const failed = otherPropertyEntries.filter(({ verdict }) => verdict === "failed").map(({ id }) => id);
  return [
    `judged ${scenarios.size} scenarios again from the trace, with the same verdicts`,
    ...(counterexamples.size > 0 ? [`judged ${counterexamples.size} counterexamples of properties again; they still fail`] : []),
    ...(otherPropertyEntries.length > 0
      ? [`not judged again: ${otherPropertyEntries.length} properties, because their cases are not in the trace`]
      : []),
    ...(failed.length > 0 ? [`these failures of properties were not reproduced: ${failed.join(", ")}`] : []),
  ];
}
