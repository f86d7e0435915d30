import type { Leftover, StartedItem } from "../cleanup/side-effects.js";
import type { ScenarioResult } from "../execute/result.js";
import type { Run } from "../execute/run.js";
import type { Property } from "../property/property.js";
import type { PropertyResult } from "../property/result.js";
import { readReport } from "../report/read.js";
import type { Report } from "../report/report.js";
import type { SuiteIdentity } from "../report/suite-identity.js";
import { headOf } from "../scenario/compile.js";
import type { Scenario, ScenarioHead } from "../scenario/scenario.js";
import { withoutWaivers } from "../verdict/apply-waivers.js";
import type { RunSelection } from "../verdict/evidence.js";

/** A run that was stopped or ran out of time: what it has come to, so that another can go on from there. */
export interface EarlierRun extends Pick<Report, "url" | "profile" | "seed"> {
  /** The report's file. */
  file: string;
  /** Scenarios that it has executed. */
  scenarios: ReadonlyMap<string, ScenarioResult>;
  /** Properties that it has checked, some of them in part. */
  properties: ReadonlyMap<string, PropertyResult>;
  tally: Run["tally"];
  started: readonly StartedItem[];
  leftovers: readonly Leftover[];
}

/** What the run that goes on has to do. */
interface ResumeRequest {
  identity: SuiteIdentity;
  selection: RunSelection;
  scenarios: readonly Scenario[];
  properties: readonly Property[];
  /** Where it differs from that of the earlier run the two are not one. */
  seed?: number | undefined;
  claim?: string | undefined;
}

/** Reads the report of a run that did not come to its end. Only the same suite, selection and seed can go on from it. */
export function readEarlier(
  place: string,
  request: ResumeRequest,
): { ok: true; earlier: EarlierRun } | { ok: false; mistakes: string[] } {
  const read = readReport(place);
  if ("mistake" in read) return { ok: false, mistakes: [read.mistake] };
  const { report, file } = read;
  const mistakes = differences(report, request).map((what) => `${file}: is of another run: ${what}`);
  if (mistakes.length > 0) return { ok: false, mistakes };
  return { ok: true, earlier: { file, ...earlierOf({ ...report, ...withoutWaivers(report) }, request) } };
}

/**
 * Lets a run count on from the earlier one: both together are one run, which has one budget. Says why it cannot where the evidence of the earlier
 * one is of another server, or of what another profile allowed.
 */
export function continueFrom(
  { file, url, profile, tally, started, leftovers }: EarlierRun,
  run: Pick<Run, "target" | "profile" | "tally" | "started" | "leftovers">,
): { mistake: string } | undefined {
  if (url !== run.target.urls.api) return { mistake: `${file}: is of another server: ${url}, not ${run.target.urls.api}` };
  if (profile !== run.profile) return { mistake: `${file}: is of another run: its profile ${profile}, not ${run.profile}` };
  run.tally.requests += tally.requests;
  run.tally.paid += tally.paid;
  run.tally.waitedSeconds += tally.waitedSeconds;
  run.started.push(...started);
  run.leftovers.push(...leftovers);
  return undefined;
}

function differences({ suite, selection, seed, claim }: Report, request: ResumeRequest): string[] {
  const facts: [name: string, theirs: unknown, ours: unknown][] = [
    ["clauses", suite.clauses_digest, request.identity.clauses_digest],
    ["scenarios", suite.scenarios_digest, request.identity.scenarios_digest],
    ["selection", JSON.stringify(selection), JSON.stringify(request.selection)],
    ["claim", claim?.edition, request.claim],
    ["seed", seed, request.seed ?? seed],
  ];
  return facts.flatMap(([name, theirs, ours]) => (theirs === ours ? [] : [`its ${name} ${theirs}, not ${ours}`]));
}

function earlierOf(report: Report, { scenarios, properties }: ResumeRequest): Omit<EarlierRun, "file"> {
  const { url, profile, seed, requests, paid, waited_s: waitedSeconds, started = [], leftovers = [] } = report;
  return {
    ...{ url, profile, seed, started, leftovers },
    scenarios: new Map(
      scenarios.flatMap((scenario): [string, ScenarioResult][] => {
        const result = resultOf(report, scenario);
        return result ? [[scenario.name, result]] : [];
      }),
    ),
    properties: new Map(
      properties.flatMap((property): [string, PropertyResult][] => {
        const result = propertyResultOf(report, property);
        return result ? [[property.id, result]] : [];
      }),
    ),
    tally: { requests, paid, waitedSeconds },
  };
}

/** What the report says of a scenario, unless it was not begun. */
function resultOf({ scenarios, checks }: Report, scenario: ScenarioHead): ScenarioResult | undefined {
  const line = scenarios.find((one) => one.scenario === scenario.name);
  if (!line || line.verdict === "not-observed") return undefined;
  const { verdict, outside_profile: outside, requests, reason } = line;
  const own = checks.filter((check) => check.scenario === scenario.name);
  return { scenario, verdict, ...(reason !== undefined && { reason }), ...(outside && { outside }), requests, checks: own };
}

function propertyResultOf(report: Report, { id, title }: Property): PropertyResult | undefined {
  const line = report.properties.find((one) => one.id === id);
  const name = `property:${id}`;
  const proves = [...(report.scenarios.find(({ scenario }) => scenario === name)?.proves ?? [])];
  const scenario = resultOf(report, headOf({ scenario: name, title, proves, steps: [] }));
  return line && scenario && { line, scenario };
}
