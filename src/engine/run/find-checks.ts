import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundleFiles } from "../evidence/bundle/files.js";
import { stepsInTrace } from "../evidence/trace/steps-in-trace.js";
import type { Check } from "../execute/check.js";
import type { ShownStep } from "../execute/shown-steps.js";
import { nameOfCounterexample } from "../property/counterexample.js";
import { readReport } from "../report/read.js";
import type { Report } from "../report/report.js";
import type { Suite } from "../suite.js";

/** A check of a bundle, or a scenario without one, with all that was done for it. */
export interface BundleCheck {
  report: Report;
  scenario: string;
  /** The checks that were asked for. */
  checks: readonly Check[];
  /** From the trace, which holds every scenario; without a trace only what the report shows of a failure. */
  steps: readonly ShownStep[];
}

/** What came of looking something up in a bundle; without a name to look up it is the report alone. */
export type FindResult =
  | { ok: true; report: Report; found?: BundleCheck }
  | { ok: false; mistake: string; names: readonly string[] };

/** Looks up a check, a scenario or a clause in what `verify --out` has written. Of a clause it is the first check that failed, else the first. */
export async function findChecks(suite: Pick<Suite, "defaultRole">, place: string, name?: string): Promise<FindResult> {
  const read = readReport(place);
  if ("mistake" in read) return { ok: false, mistake: read.mistake, names: [] };
  const { report, file } = read;
  if (name === undefined) return { ok: true, report };
  const checks = checksNamed(report, name);
  const scenario = checks[0]?.scenario ?? report.scenarios.find((line) => line.scenario === name)?.scenario;
  if (scenario === undefined) return { ok: false, mistake: `nothing is called "${name}" in ${file}`, names: namesIn(report) };
  const steps = await stepsOf(join(dirname(file), bundleFiles.trace), suite, scenario, checks);
  return { ok: true, report, found: { report, scenario, checks, steps } };
}

function checksNamed({ checks }: Report, name: string): Check[] {
  const exact = checks.filter(({ id }) => id === name);
  if (exact.length > 0) return exact;
  const own = checks.filter(({ scenario }) => scenario === name);
  if (own.length > 0) return own;
  const ofClause = checks.filter(({ clauses }) => clauses.includes(name));
  const first = ofClause.find(({ verdict }) => verdict === "failed") ?? ofClause[0];
  return first ? [first] : [];
}

async function stepsOf(
  trace: string,
  suite: Pick<Suite, "defaultRole">,
  scenario: string,
  checks: readonly Check[],
): Promise<readonly ShownStep[]> {
  const [, property] = /^property:(.+)$/.exec(scenario) ?? [];
  const inTrace = property === undefined ? scenario : nameOfCounterexample(property);
  const steps = existsSync(trace) ? await stepsInTrace(trace, inTrace, suite.defaultRole) : [];
  return steps.length > 0 ? steps : (checks.find(({ exchanges }) => exchanges)?.exchanges ?? []);
}

function namesIn({ checks, clauses }: Report): string[] {
  return [...new Set([...clauses.map(({ id }) => id), ...checks.flatMap(({ id, scenario }) => [id, scenario])])];
}
