import type { Leftover } from "./debts/debts.js";
import type { Played } from "./play/play.js";
import type { Run } from "./play/run.js";
import type { Held } from "./property/held.js";
import type { Property } from "./property/property.js";
import { readReport } from "./report/read.js";
import type { Report } from "./report/report.js";
import { type Scenario, unfiled } from "./scenario/format.js";
import { withoutWaivers } from "./waive.js";

/** A run that was stopped or ran out of time: what it has come to, so that another can go on from there. */
export interface Earlier extends Pick<Report, "url" | "profile" | "seed"> {
  /** The report's file. */
  file: string;
  /** Scenarios that it has played. */
  scenarios: ReadonlyMap<string, Played>;
  /** Properties that it has tried, some of them in part. */
  properties: ReadonlyMap<string, Held>;
  tally: Run["tally"];
  leftovers: readonly Leftover[];
}

/** What the run that goes on was asked for. */
export interface Asked extends Pick<Report, "suite" | "selection"> {
  scenarios: readonly Scenario[];
  properties: readonly Property[];
  /** Where it differs from that of the earlier run the two are not one. */
  seed?: number | undefined;
  claim?: string | undefined;
}

/** Reads the report of a run that did not come to its end. Only the same suite, selection and seed can go on from it. */
export function readEarlier(place: string, asked: Asked): { ok: true; earlier: Earlier } | { ok: false; mistakes: string[] } {
  const read = readReport(place);
  if ("mistake" in read) return { ok: false, mistakes: [read.mistake] };
  const { report, file } = read;
  const mistakes = differences(report, asked).map((what) => `${file}: is of another run: ${what}`);
  if (mistakes.length > 0) return { ok: false, mistakes };
  return { ok: true, earlier: { file, ...earlierOf({ ...report, ...withoutWaivers(report) }, asked) } };
}

/** Why a run cannot go on from the earlier one, whose evidence is of another server or of what another profile allowed. */
export function otherServer({ file, url, profile }: Earlier, run: Pick<Run, "target" | "profile">): string | undefined {
  if (url !== run.target.urls.api) return `${file}: is of another server: ${url}, not ${run.target.urls.api}`;
  return profile === run.profile ? undefined : `${file}: is of another run: its profile ${profile}, not ${run.profile}`;
}

/** Lets a run count on from the earlier one: both together are one run, which has one budget. */
export function goOnFrom({ tally, leftovers }: Earlier, run: Pick<Run, "tally" | "leftovers">): void {
  run.tally.requests += tally.requests;
  run.tally.paid += tally.paid;
  run.tally.waitedSeconds += tally.waitedSeconds;
  run.leftovers.push(...leftovers);
}

function differences({ suite, selection, seed, claim }: Report, asked: Asked): string[] {
  const facts: [string, unknown, unknown][] = [
    ["clauses", suite.clauses_digest, asked.suite.clauses_digest],
    ["scenarios", suite.scenarios_digest, asked.suite.scenarios_digest],
    ["selection", JSON.stringify(selection), JSON.stringify(asked.selection)],
    ["claim", claim?.edition, asked.claim],
    ["seed", seed, asked.seed ?? seed],
  ];
  return facts.flatMap(([name, theirs, ours]) => (theirs === ours ? [] : [`its ${name} ${theirs}, not ${ours}`]));
}

function earlierOf(report: Report, { scenarios, properties }: Asked): Omit<Earlier, "file"> {
  const played = new Map(
    scenarios.flatMap((scenario): [string, Played][] => {
      const one = playedOf(report, scenario);
      return one && one.verdict !== "not-observed" ? [[scenario.name, one]] : [];
    }),
  );
  const held = new Map(
    properties.flatMap(({ id, title }): [string, Held][] => {
      const line = report.properties.find((one) => one.id === id);
      const name = `property:${id}`;
      const text = { scenario: name, title, proves: line?.verdict === "failed" ? provedBy(report, name) : [], steps: [] };
      const one = playedOf(report, unfiled(text));
      return line && one && line.verdict !== "not-observed" ? [[id, { line, played: one }]] : [];
    }),
  );
  const { url, profile, seed, requests, paid, waited_s: waitedSeconds, leftovers = [] } = report;
  return { url, profile, seed, scenarios: played, properties: held, tally: { requests, paid, waitedSeconds }, leftovers };
}

function provedBy({ scenarios }: Report, name: string): string[] {
  return scenarios.find(({ scenario }) => scenario === name)?.proves ?? [];
}

function playedOf({ scenarios, checks }: Report, scenario: Scenario): Played | undefined {
  const line = scenarios.find((one) => one.scenario === scenario.name);
  if (!line) return undefined;
  const { verdict, outside, requests, reason } = line;
  const own = checks.filter((check) => check.scenario === scenario.name);
  return { scenario, verdict, ...(reason !== undefined && { reason }), ...(outside && { outside }), requests, checks: own };
}
