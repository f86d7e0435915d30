import { choose } from "../choose.js";
import { conclude, type Evidence } from "../conclude.js";
import { type Edition, readEdition } from "../edition.js";
import type { RunResult, VerifyOptions } from "../options.js";
import type { Check } from "../play/check.js";
import { type Played, playScenario } from "../play/play.js";
import { type Report, scenarioLine } from "../report/report.js";
import type { Scenario } from "../scenario/format.js";
import { ledger } from "../suite.js";
import { readTrace, type Told } from "../trace/read.js";
import { withoutWaivers } from "../waive.js";
import type { Waiver } from "../waivers.js";
import { differences } from "./compare.js";
import { convictAgain, convictionsOf, withConvictions } from "./convictions.js";
import { openBundle } from "./open.js";
import { type PlayedAgain, playTold } from "./play-told.js";

/** Which bundle is judged again, and how. */
export interface BundleOptions {
  /** Directory that `verify --out` has written. */
  bundle: string;
  /** Public key (PEM) that its signature must be of. */
  publicKey?: string;
  /** Directory of scenarios. Default: the suite of this package. */
  scenarios?: string;
}

/** What playing a trace came to: what was played, the failures of properties that came again, and where a play departed from it. */
interface Replayed {
  played: Map<string, Played>;
  convicted: Map<string, Check>;
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
  const { played, convicted, departures } = await playTrace(trace, chosen.scenarios, convictionsOf(report));
  const departed = departures.map((departure) => `${trace}: ${departure}`);
  const untold = report.scenarios
    .map(({ scenario }) => scenario)
    .filter((name) => !played.has(name) && !takenOver(report).has(name));
  if (departures.length === 0 && untold.length > 0)
    return {
      exitCode: 3,
      messages: [...notices, `the trace does not hold ${untold.join(", ")}, so they cannot be judged again`],
    };
  const evidence = evidenceOf({ report, waivers, edition: claimed?.edition }, chosen.scenarios, { played, convicted });
  const again = conclude(ledger, evidence);
  const found = [...differences(report, again.report), ...departed];
  if (found.length > 0) return { exitCode: 1, messages: ["the trace does not give the verdicts of report.json:", ...found] };
  return { ...again, messages: [...notices, ...saidOf(report, { played, convicted })] };
}

async function playTrace(
  path: string,
  scenarios: readonly Scenario[],
  convictions: ReturnType<typeof convictionsOf>,
): Promise<Replayed> {
  const byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  const [played, convicted] = [new Map<string, Played>(), new Map<string, Check>()];
  const departures: string[] = [];
  const depart = (name: string, departure: string | undefined) =>
    departure !== undefined && departures.push(`${name}: ${departure}`);
  for await (const told of readTrace(path)) {
    if ("mistake" in told) {
      departures.push(told.mistake);
      continue;
    }
    const [scenario, conviction] = [byName.get(told.scenario), convictions.get(told.scenario)];
    if (conviction) {
      const { check, departure } = await convictAgain(conviction.scenario, told);
      if (check) convicted.set(conviction.name, check);
      depart(told.scenario, departure);
    } else if (scenario) {
      const { result, departure } = await playAgain(scenario, told);
      played.set(scenario.name, result ?? { scenario, verdict: "harness-error", requests: 0, checks: [] });
      depart(told.scenario, departure);
    } else departures.push(`${told.scenario} is not among the scenarios that were selected`);
  }
  return { played, convicted, departures };
}

async function playAgain(scenario: Scenario, told: Told): Promise<PlayedAgain<Played>> {
  const [first] = told.lines;
  if (first?.kind === "left-out" && told.lines.length === 1)
    return { result: { scenario, verdict: "not-observed", reason: first.reason, requests: 0, checks: [] } };
  const { result, ...departed } = await playTold(told, async (run, unique) => {
    const { scenario: _, ...played } = await playScenario(run, scenario, unique);
    return played;
  });
  return { ...(result && { result: { ...result, scenario } }), ...departed };
}

/** The evidence of the report with what was played again in place of what it says; the rest is taken over. */
function evidenceOf(
  { report, waivers, edition }: { report: Report; waivers: readonly Waiver[]; edition: Edition | undefined },
  scenarios: readonly Scenario[],
  { played, convicted }: Pick<Replayed, "played" | "convicted">,
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
    checks: [
      ...again.flatMap(({ checks }) => checks),
      ...withConvictions(
        before.checks.filter(({ scenario }) => taken.has(scenario)),
        convicted,
      ),
    ],
  };
}

/** The lines of properties: of their cases only those that convict are in the trace. */
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

function saidOf({ properties }: Report, { played, convicted }: Pick<Replayed, "played" | "convicted">): string[] {
  const others = properties.filter(({ id }) => !convicted.has(`property:${id}`));
  const failed = others.filter(({ verdict }) => verdict === "failed").map(({ id }) => id);
  return [
    `judged again from its trace: ${played.size} scenarios, the same verdicts`,
    ...(convicted.size > 0 ? [`and ${convicted.size} counterexamples of properties, which fail again`] : []),
    ...(others.length > 0 ? [`taken over from report.json: ${others.length} properties, whose cases are not in the trace`] : []),
    ...(failed.length > 0 ? [`among them the failures of ${failed.join(", ")}, which were seen once`] : []),
  ];
}
