import { join } from "node:path";
import { differences, isSameChecks } from "../evidence/bundle/compare.js";
import { counterexamplesOf, withCounterexamples } from "../evidence/bundle/counterexamples.js";
import { bundleFiles, sha256 } from "../evidence/bundle/files.js";
import { type Bundle, openBundle } from "../evidence/bundle/open.js";
import { type RunPart, replayTrace, type TraceResults } from "../evidence/bundle/replay.js";
import type { RunLine } from "../evidence/trace/line.js";
import type { Check } from "../execute/check.js";
import { openKeptSessions } from "../execute/kept-sessions.js";
import type { ScenarioResult } from "../execute/result.js";
import type { Run } from "../execute/run.js";
import { formsOf, renderFiles } from "../report/forms.js";
import type { Report, RunEvidence } from "../report/report.js";
import { parseScenario } from "../scenario/parse.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Suite } from "../suite.js";
import { withoutWaivers } from "../verdict/apply-waivers.js";
import { type Edition, readEdition } from "../verdict/editions.js";
import { judgeEvidence } from "../verdict/judge.js";
import { type ScenarioEntry, scenarioEntry } from "../verdict/scenario-entry.js";
import { startRun } from "./connect.js";
import { joinShards } from "./join-shards.js";
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
  const { report, trace, notices, digests } = bundle;
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
  const unjudged = unjudgedOf(report, results);
  const diverged = results.divergences
    .filter(({ scenario = "" }) => !unjudged.has(scenario))
    .map(({ why }) => `${trace}: ${why}`);
  if (results.runs.length === 0)
    return { exitCode: diverged.length > 0 ? 1 : 3, messages: [...diverged, "the trace does not say how its run ended"] };
  const evidence = evidenceOf(suite, bundle, edition, scenarios, { results, unjudged });
  const again = judgeEvidence<RunEvidence>(suite, evidence);
  const found = [...differences(report, again.report), ...otherFiles(report, digests, results.runs), ...diverged];
  if (found.length > 0) return { exitCode: 1, messages: ["the trace does not give what report.json says:", ...found] };
  const pages = await otherPages(suite, options.bundle, report, digests);
  if (pages.length > 0) return { exitCode: 1, messages: pages };
  if (unjudged.size > 0) return { exitCode: 3, messages: [...notices, ...summary(report, results), partly(unjudged)] };
  return { ...again, messages: [...notices, ...summary(report, results)] };
}

/** Scenarios that come to something else than the report says, or go another way, where the trace holds but a part of their answers. */
function unjudgedOf(report: Report, { scenarios, shortened, divergences }: TraceResults): Set<string> {
  const { checks } = withoutWaivers(report);
  return new Set(
    [...shortened.keys()].filter((name) => {
      const again = scenarios.get(name);
      const own = checks.filter(({ scenario }) => scenario === name);
      return divergences.some(({ scenario }) => scenario === name) || (again && !isSameChecks(own, again.checks));
    }),
  );
}

function partly(unjudged: ReadonlySet<string>): string {
  return `taken over from report.json, as the trace holds their answers shortened: ${[...unjudged].join(", ")}; so it is not judged again as a whole`;
}

/** Files that a run says it was judged by, and that are others in the bundle. Shards were given the same waivers, each in a file of its own. */
function otherFiles(report: Report, digests: ReadonlyMap<string, string>, runs: readonly RunPart[]): string[] {
  const [first] = runs;
  const names = [bundleFiles.quality, ...(isMerged(report, runs) ? [] : [bundleFiles.waivers])];
  const stated = { [bundleFiles.quality]: first?.facts.files.quality, [bundleFiles.waivers]: first?.facts.files.waivers };
  return names
    .filter((name) => digests.get(name) !== stated[name])
    .map((name) => `${name} is another than the run was judged by`);
}

/** Whether a report is of shards that were put together, be it one of them. */
function isMerged({ selection }: Report, [first]: readonly RunPart[]): boolean {
  return selection.shard === undefined && first?.facts.selection.shard !== undefined;
}

/** Pages of the bundle that are not what this report gives. */
async function otherPages(
  suite: Suite,
  directory: string,
  report: Report,
  digests: ReadonlyMap<string, string>,
): Promise<string[]> {
  const files = await renderFiles(report, suite, formsOf([...digests.keys()]));
  const stray = [...digests.keys()].filter((name) => !isKnown(name) && !files.some((file) => file.name === name));
  return [
    ...files
      .filter(({ name, text }) => digests.get(name) !== sha256(text))
      .map(({ name }) => `${join(directory, name)} is not what report.json gives`),
    ...stray.map((name) => `${join(directory, name)} is no part of a bundle`),
  ];
}

function isKnown(name: string): boolean {
  return (Object.values(bundleFiles) as string[]).includes(name);
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

function startRunOf(suite: Suite, line: RunLine): Run {
  const { target, profile, max_wait_s, deadline = Number.POSITIVE_INFINITY, keeps_sessions } = line;
  const nobody = { send: () => Promise.reject(new Error("nothing is sent when a trace is judged")), close: async () => {} };
  const keptSessions = keeps_sessions && openKeptSessions(target);
  return { ...startRun(suite, { profile, maxWait: max_wait_s, env: {} }, target, nobody), deadline, keptSessions };
}

/** Scenarios of the report that the trace does not hold. */
function missingIn(report: Report, { scenarios }: TraceResults): string[] {
  const taken = takenOver(report);
  return report.scenarios.map(({ scenario }) => scenario).filter((name) => !scenarios.has(name) && !taken.has(name));
}

/** What the trace gives: what was executed again, and what its runs say of themselves. Of the report only what could not be judged again is taken. */
function evidenceOf(
  suite: Suite,
  { report, waivers }: Bundle,
  edition: Edition | undefined,
  scenarios: readonly Scenario[],
  { results, unjudged }: { results: TraceResults; unjudged: ReadonlySet<string> },
): RunEvidence {
  const before = withoutWaivers(report);
  const lineOf = (again: ScenarioResult): ScenarioEntry =>
    (unjudged.has(again.scenario.name) && before.scenarios.find(({ scenario }) => scenario === again.scenario.name)) ||
    scenarioEntry(again, edition);
  const checksOf = ({ scenario: { name }, checks }: ScenarioResult): readonly Check[] =>
    unjudged.has(name) ? before.checks.filter(({ scenario }) => scenario === name) : checks;
  const shards = results.runs.map(({ line, facts, scenarios: own, shortened }) => {
    const { files: _, ...rest } = facts;
    const again = scenarios.flatMap(({ name }) => (own.has(name) ? (results.scenarios.get(name) ?? []) : []));
    const evidence: RunEvidence = {
      ...rest,
      ...{ target: line.target.name, url: line.target.urls.api, profile: line.profile, waivers },
      scenarios: [...again.map(lineOf), ...facts.scenarios],
      checks: [...again.flatMap(checksOf), ...withCounterexamples(facts.checks, results.counterexamples)],
      ...(shortened > 0 && { shortened_responses: shortened }),
    };
    return { index: facts.selection.shard?.index ?? 1, of: facts.selection.shard?.of ?? 1, report: evidence };
  });
  const [first] = shards;
  if (!first) throw new Error("a trace without a run is not judged");
  return isMerged(report, results.runs) ? joinShards(suite, first.of, shards) : first.report;
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
