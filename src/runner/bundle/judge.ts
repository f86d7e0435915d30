import { choose } from "../choose.js";
import { conclude, type Evidence } from "../conclude.js";
import { type Edition, readEdition } from "../edition.js";
import { createMask } from "../mask.js";
import type { RunResult, VerifyOptions } from "../options.js";
import { type Played, playScenario } from "../play/play.js";
import { type Report, scenarioLine } from "../report/report.js";
import type { Scenario } from "../scenario/format.js";
import { startRun } from "../start.js";
import { ledger } from "../suite.js";
import type { RunLine } from "../trace/line.js";
import { readTrace, type Told } from "../trace/read.js";
import { replay } from "../trace/replay.js";
import { withoutWaivers } from "../waive.js";
import type { Waiver } from "../waivers.js";
import { differences } from "./compare.js";
import { type Bundle, openBundle } from "./open.js";

/** Which bundle is judged again, and how. */
export interface BundleOptions {
  /** Directory that `verify --out` has written. */
  bundle: string;
  /** Public key (PEM) that its signature must be of. */
  publicKey?: string;
  /** Directory of scenarios. Default: the suite of this package. */
  scenarios?: string;
}

/** What playing a trace came to: what was played, and where a play departed from it. */
interface Replayed {
  played: Map<string, Played>;
  departures: string[];
}

/**
 * Checks that a bundle is as it was written, and judges its trace again without asking anybody. The exit code is the verdict's, as of the run
 * itself; 1 also when the bundle was changed or does not give the verdicts of its report, 2 when this package cannot judge it, 3 when it holds
 * no trace.
 */
export async function judgeBundle(options: BundleOptions): Promise<RunResult> {
  const opened = await openBundle(options);
  if (!opened.ok) return opened;
  const { report, waivers, trace, notices } = opened.bundle;
  const { scenarios } = options;
  const chosen = choose({
    ...(report.selection as Pick<VerifyOptions, "only" | "surface" | "shard">),
    ...(scenarios !== undefined && { scenarios }),
  });
  const claimed = report.claim && readEdition(report.claim.edition);
  if (!chosen.ok) return { exitCode: 2, messages: [...chosen.mistakes, judgedBy(report)] };
  if (claimed?.ok === false) return { exitCode: 2, messages: [claimed.mistake, judgedBy(report)] };
  const stranger = otherSuite(report, chosen.suite);
  if (stranger !== undefined) return { exitCode: 2, messages: [stranger] };
  if (trace === undefined) return { exitCode: 3, messages: [...notices, "it holds no trace, so it cannot be judged again"] };
  const { played, departures } = await playTrace(trace, chosen.scenarios);
  const departed = departures.map((departure) => `${trace}: ${departure}`);
  const untold = report.scenarios
    .map(({ scenario }) => scenario)
    .filter((name) => !played.has(name) && !takenOver(report).has(name));
  if (departures.length === 0 && untold.length > 0)
    return {
      exitCode: 3,
      messages: [...notices, `the trace does not hold ${untold.join(", ")}, so they cannot be judged again`],
    };
  const again = conclude(ledger, evidenceOf({ report, waivers, edition: claimed?.edition }, chosen.scenarios, played));
  const found = [...differences(report, again.report), ...departed];
  if (found.length > 0) return { exitCode: 1, messages: ["the trace does not give the verdicts of report.json:", ...found] };
  return { ...again, messages: [...notices, ...saidOf(opened.bundle, played)] };
}

async function playTrace(path: string, scenarios: readonly Scenario[]): Promise<Replayed> {
  const byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  const played = new Map<string, Played>();
  const departures: string[] = [];
  for await (const told of readTrace(path)) {
    const scenario = "mistake" in told ? undefined : byName.get(told.scenario);
    if ("mistake" in told) departures.push(told.mistake);
    else if (!scenario) departures.push(`${told.scenario} is not among the scenarios that were selected`);
    else {
      const { result, departure } = await playAgain(scenario, told);
      played.set(scenario.name, result);
      if (departure !== undefined) departures.push(`${scenario.name}: ${departure}`);
    }
  }
  return { played, departures };
}

async function playAgain(
  scenario: Scenario,
  { run: line, lines }: Told,
): Promise<{ result: Played; departure?: string | undefined }> {
  const [first] = lines;
  if (first?.kind === "left-out" && lines.length === 1)
    return { result: { scenario, verdict: "not-observed", reason: first.reason, requests: 0, checks: [] } };
  const missing = { scenario, verdict: "harness-error" as const, requests: 0, checks: [] };
  if (first?.kind !== "begin") return { result: missing, departure: "its first line does not say how it began" };
  const { run, departure } = replay(runOf(line), lines);
  const { checks, ...result } = await playScenario(run, scenario, first.unique);
  return { result: run.mask.hideIn({ ...result, checks }), departure: departure() };
}

function runOf({ target, profile, max_wait_s, deadline = Number.POSITIVE_INFINITY }: RunLine) {
  const nobody = { send: () => Promise.reject(new Error("nothing is sent when a trace is judged")), close: async () => {} };
  return { ...startRun({ profile, maxWait: max_wait_s, env: {} }, target, nobody, createMask()), deadline };
}

/** The evidence of the report with what was played again in place of what it says was played; the rest is taken over. */
function evidenceOf(
  { report, waivers, edition }: { report: Report; waivers: readonly Waiver[]; edition: Edition | undefined },
  scenarios: readonly Scenario[],
  played: ReadonlyMap<string, Played>,
): Evidence {
  const taken = takenOver(report);
  const before = withoutWaivers(report);
  const again = scenarios.flatMap(({ name }) => played.get(name) ?? []);
  return {
    ...report,
    waivers,
    scenarios: [
      ...again.map((one) => scenarioLine(one, edition)),
      ...before.scenarios.filter(({ scenario }) => taken.has(scenario)),
    ],
    checks: [...again.flatMap(({ checks }) => checks), ...before.checks.filter(({ scenario }) => taken.has(scenario))],
  };
}

/** The lines of properties: their cases are not in the trace. */
function takenOver({ properties }: Report): Set<string> {
  return new Set(properties.map(({ id }) => `property:${id}`));
}

function otherSuite(report: Report, installed: Report["suite"]): string | undefined {
  const { clauses_digest, scenarios_digest } = report.suite;
  const differs = [
    ...(clauses_digest === installed.clauses_digest ? [] : ["clauses"]),
    ...(scenarios_digest === installed.scenarios_digest ? [] : ["scenarios"]),
  ];
  return differs.length === 0
    ? undefined
    : `${judgedBy(report)}; its ${differs.join(" and ")} are not those of this version, ${installed.version}: judge it with that one`;
}

function judgedBy({ suite }: Report): string {
  return `the bundle was judged by version ${suite.version}`;
}

function saidOf({ report }: Bundle, played: ReadonlyMap<string, Played>): string[] {
  const count = takenOver(report).size;
  return [
    `judged again from its trace: ${played.size} scenarios, the same verdicts`,
    ...(count > 0 ? [`of ${count} properties the checks are taken over from report.json: their cases are not in the trace`] : []),
  ];
}
