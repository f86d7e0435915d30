import type { Leftover, StartedItem } from "../cleanup/side-effects.js";
import type { ScenarioResult } from "../execute/result.js";
import type { Run } from "../execute/run.js";
import type { Property } from "../property/property.js";
import { isIncomplete, type PropertyResult } from "../property/result.js";
import { isInterrupted } from "../report/interrupted.js";
import { readReport } from "../report/read.js";
import type { Report } from "../report/report.js";
import type { SuiteIdentity } from "../report/suite-identity.js";
import { readHead } from "../scenario/compile.js";
import type { Scenario, ScenarioHead } from "../scenario/scenario.js";
import { removeWaivers } from "../verdict/apply-waivers.js";
import { type Claim, formatClaim } from "../verdict/claim.js";
import type { RunSelection } from "../verdict/evidence.js";

/** The results of a run that was stopped or ran out of time, for another run to continue. */
export interface EarlierRun extends Pick<Report, "url" | "profile" | "seed" | "claim" | "lost_connections"> {
  /** The report's file. */
  file: string;
  /** Completed scenarios by name. */
  scenarios: ReadonlyMap<string, ScenarioResult>;
  /** Checked properties by id; some are incomplete. */
  properties: ReadonlyMap<string, PropertyResult>;
  tally: Run["tally"];
  started: readonly StartedItem[];
  leftovers: readonly Leftover[];
}

/** The input of the run that continues. */
interface ResumeRequest {
  identity: SuiteIdentity;
  selection: RunSelection;
  scenarios: readonly Scenario[];
  properties: readonly Property[];
  /** Must equal the seed of the earlier run, if given. */
  seed?: number | undefined;
}

/** Reads the report of an incomplete run. Suite, selection and seed must be the same. */
export function readEarlier(
  place: string,
  request: ResumeRequest,
): { ok: true; earlier: EarlierRun } | { ok: false; mistakes: string[] } {
  const read = readReport(place);
  if ("mistake" in read) return { ok: false, mistakes: [read.mistake] };
  const { report, file } = read;
  const mistakes = listDifferences(report, request).map((what) => `${file}: cannot be continued: ${what}`);
  if (mistakes.length > 0) return { ok: false, mistakes };
  return { ok: true, earlier: { file, ...createEarlierRun({ ...report, ...removeWaivers(report) }, request) } };
}

/** Adds the counts of an earlier run to a run: together they have one budget. Returns a mistake if server, profile or claim differ. */
export function continueFrom(
  { file, url, profile, claim: earlierClaim, tally, started, leftovers }: EarlierRun,
  run: Pick<Run, "target" | "profile" | "tally" | "started" | "leftovers">,
  claim: Claim | undefined,
): { mistake: string } | undefined {
  if (url !== run.target.urls.api)
    return { mistake: `${file}: cannot be continued: its server is ${url}, not ${run.target.urls.api}` };
  if (profile !== run.profile) return { mistake: `${file}: cannot be continued: its profile is ${profile}, not ${run.profile}` };
  const [before, now] = [earlierClaim, claim].map((one) => (one ? formatClaim(one) : "everything"));
  if (before !== now) return { mistake: `${file}: cannot be continued: its claim is ${before}, not ${now}` };
  run.tally.requests += tally.requests;
  run.tally.paid += tally.paid;
  run.tally.waitedSeconds += tally.waitedSeconds;
  run.started.push(...started);
  run.leftovers.push(...leftovers);
  return undefined;
}

function listDifferences({ suite, selection, seed }: Report, request: ResumeRequest): string[] {
  const facts: [name: string, theirs: unknown, ours: unknown][] = [
    ["digest of the clauses", suite.clauses_digest, request.identity.clauses_digest],
    ["digest of the scenarios", suite.scenarios_digest, request.identity.scenarios_digest],
    ["selection", JSON.stringify(selection), JSON.stringify(request.selection)],
    ["seed", seed, request.seed ?? seed],
  ];
  return facts.flatMap(([name, theirs, ours]) => (theirs === ours ? [] : [`its ${name} is ${theirs}, not ${ours}`]));
}

function createEarlierRun(report: Report, { scenarios, properties }: ResumeRequest): Omit<EarlierRun, "file"> {
  const { url, profile, seed, requests, paid, waited_s: waitedSeconds, started = [], leftovers = [] } = report;
  const { lost_connections: lost } = report;
  return {
    ...{ url, profile, seed, started, leftovers },
    ...(report.claim && { claim: report.claim }),
    ...(lost && { lost_connections: lost }),
    scenarios: new Map(
      scenarios.flatMap((scenario): [string, ScenarioResult][] => {
        const result = findResult(report, scenario);
        return result ? [[scenario.name, result]] : [];
      }),
    ),
    properties: new Map(
      properties.flatMap((property): [string, PropertyResult][] => {
        const result = findPropertyResult(report, property);
        return result ? [[property.id, result]] : [];
      }),
    ),
    tally: { requests, paid, waitedSeconds },
  };
}

/** Returns the result of a scenario in a report; undefined if the scenario must be run again. */
function findResult({ scenarios, checks }: Report, scenario: ScenarioHead): ScenarioResult | undefined {
  const line = scenarios.find((scenarioEntry) => scenarioEntry.scenario === scenario.name);
  if (!line || isInterrupted(line, checks)) return undefined;
  const { verdict, outside_profile: isExcluded, missing, requests, served, reason } = line;
  const ownChecks = checks.filter((check) => check.scenario === scenario.name);
  const skippedBy = isExcluded && { skippedBy: "profile" as const };
  return {
    scenario,
    verdict,
    ...(reason !== undefined && { reason }),
    ...skippedBy,
    ...(missing && { missing }),
    requests,
    ...(served && { served }),
    checks: ownChecks,
  };
}

function findPropertyResult(report: Report, { id, title }: Property): PropertyResult | undefined {
  const line = report.properties.find((property) => property.id === id);
  const name = `property:${id}`;
  const proves = [...(report.scenarios.find(({ scenario }) => scenario === name)?.proves ?? [])];
  const scenario = findResult(report, readHead({ scenario: name, title, proves, steps: [] }));
  const isUnjudged = line?.verdict === "inconclusive" && line.counterexample === undefined && !isIncomplete(line);
  return line && scenario && !isUnjudged ? { line, scenario } : undefined;
}
