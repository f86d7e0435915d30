import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundleFiles } from "../evidence/bundle/files.js";
import { readSteps } from "../evidence/trace/steps-in-trace.js";
import type { Check } from "../execute/check.js";
import type { ShownStep } from "../execute/shown-steps.js";
import { nameCounterexample } from "../property/counterexample.js";
import { readReport } from "../report/read.js";
import type { Report } from "../report/report.js";
import type { Suite } from "../suite.js";

/** Checks of one scenario in a bundle, with the steps of the scenario. */
export interface BundleCheck {
  report: Report;
  scenario: string;
  /** The checks with the requested name. */
  checks: readonly Check[];
  /** From the trace, which holds every scenario. Without a trace, only the steps that the report shows for a failure. */
  steps: readonly ShownStep[];
}

/** The result of a search in a bundle. Without a name, it is only the report. */
export type FindResult =
  | { ok: true; report: Report; found?: BundleCheck }
  | { ok: false; mistake: string; names: readonly string[] };

/** Finds a check, a scenario or a clause in the output of `verify --out`. For a clause, returns the first failed check, or the first check. */
export async function findChecks(suite: Pick<Suite, "defaultRole">, place: string, name?: string): Promise<FindResult> {
  const read = readReport(place);
  if ("mistake" in read) return { ok: false, mistake: read.mistake, names: [] };
  const { report, file } = read;
  if (name === undefined) return { ok: true, report };
  const checks = findNamedChecks(report, name);
  const scenario = checks[0]?.scenario ?? report.scenarios.find((line) => line.scenario === name)?.scenario;
  if (scenario === undefined)
    return { ok: false, mistake: `${file} has no check, scenario or clause "${name}"`, names: listNames(report) };
  const stepsResult = await readCheckSteps(join(dirname(file), bundleFiles.trace), suite, scenario, checks);
  if (!stepsResult.ok) return { ...stepsResult, names: [] };
  return { ok: true, report, found: { report, scenario, checks, steps: stepsResult.steps } };
}

function findNamedChecks({ checks }: Report, name: string): Check[] {
  const exact = checks.filter(({ id }) => id === name);
  if (exact.length > 0) return exact;
  const ownChecks = checks.filter(({ scenario }) => scenario === name);
  if (ownChecks.length > 0) return ownChecks;
  const ofClause = checks.filter(({ clauses }) => clauses.includes(name));
  const first = ofClause.find(({ verdict }) => verdict === "failed") ?? ofClause[0];
  return first ? [first] : [];
}

async function readCheckSteps(
  trace: string,
  suite: Pick<Suite, "defaultRole">,
  scenario: string,
  checks: readonly Check[],
): ReturnType<typeof readSteps> {
  const [, property] = /^property:(.+)$/.exec(scenario) ?? [];
  const inTrace = property === undefined ? scenario : nameCounterexample(property);
  if (existsSync(trace)) {
    const stepsResult = await readSteps(trace, inTrace, suite.defaultRole);
    if (!stepsResult.ok || stepsResult.steps.length > 0) return stepsResult;
  }
  return { ok: true, steps: checks.find(({ exchanges }) => exchanges)?.exchanges ?? [] };
}

function listNames({ checks, clauses }: Report): string[] {
  return [...new Set([...clauses.map(({ id }) => id), ...checks.flatMap(({ id, scenario }) => [id, scenario])])];
}
