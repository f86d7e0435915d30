import { printXml, type XmlElement } from "../../common/escape/xml.js";
import type { Check, Verdict } from "../execute/check.js";
import type { ScenarioEntry } from "../verdict/scenario-entry.js";
import { listCauses } from "./causes.js";
import { formatDimensions } from "./dimension-coverage.js";
import { formatExchange } from "./exchange-text.js";
import type { Outline } from "./outline.js";
import { formatQualityLine } from "./quality.js";
import type { Report } from "./report.js";
import {
  describeClausePlace,
  describeSecondOpinion,
  formatHeadline,
  groupLeftovers,
  listStaleWaivers,
  listWaiverEffects,
  replayCommand,
  runSummary,
} from "./summary.js";

/** The JUnit element for the result of a test case; undefined if the case passed. */
type JUnitResult = "failure" | "error" | "skipped" | undefined;

interface Case {
  name: string;
  classname: string;
  file?: string;
  line?: number;
  result: JUnitResult;
  message?: string;
  detail?: string;
  /** The title of the cause of a failed check. */
  cause?: string | undefined;
}

/**
 * Formats a report as JUnit XML: one suite for each scenario, one case for each check. A failed case has the title of its cause
 * as a property. The last suite, `verdict`, has a case for the verdict of the run and one for each stale waiver. So an
 * inconclusive run has a failed or skipped case. The properties of this suite hold the outcome, seed, dimension coverage, suite
 * quality, notes, leftovers and the second opinion.
 */
export function formatJunitReport(report: Report, outline: Outline): string {
  const titles = new Map(
    listCauses(report, outline).flatMap(({ title, checks }) => checks.map(({ id }) => [id, title] as const)),
  );
  const suites = [
    ...report.scenarios.map((line) => ({ name: line.scenario, cases: createCases(report, line, outline, titles) })),
    { name: "verdict", cases: [...createStaleCases(report), createVerdictCase(report)] },
  ];
  return printXml({
    name: "testsuites",
    attributes: { name: `${report.target}, profile ${report.profile}`, ...countTotals(suites.flatMap(({ cases }) => cases)) },
    elements: suites.map(({ name, cases }) => ({
      name: "testsuite",
      attributes: { name, timestamp: report.started_at, ...countTotals(cases) },
      elements: [...(name === "verdict" ? [createProperties(report)] : []), ...cases.map(createCaseElement)],
    })),
  });
}

function createCaseElement({ result, message = "", detail = "", cause, ...attributes }: Case): XmlElement {
  const elements = [
    ...(cause === undefined ? [] : [createPropertyList([{ name: "cause", value: cause }])]),
    ...(result ? [{ name: result, attributes: { message }, text: detail }] : []),
  ];
  return { name: "testcase", attributes, elements };
}

function createProperties(report: Report): XmlElement {
  const { notes = [], second_opinion: opinion, seed } = report;
  const quality = formatQualityLine(report);
  const facts = [
    { name: "outcome", value: report.outcome.sentence },
    { name: "seed", value: String(seed) },
    ...(quality === "" ? [] : [{ name: "suite quality", value: quality }]),
    ...report.clauses.flatMap((clause) =>
      clause.dimensions ? [{ name: `${clause.id} ${clause.verdict}`, value: `judged for ${formatDimensions(clause)}` }] : [],
    ),
    ...listWaiverEffects(report).map(({ clause, effect, ticket }) => ({
      name: "waiver",
      value: `${clause} (${ticket}): ${effect}`,
    })),
    ...notes.map((value) => ({ name: "note", value })),
    ...groupLeftovers(report).map(({ what, why, ids }) => ({ name: "left behind", value: `${what}: ${ids.join(", ")}: ${why}` })),
    ...(opinion ? [{ name: "second opinion", value: describeSecondOpinion(opinion) }] : []),
    ...(opinion?.violations ?? []).map(({ severity, location, message, request, status, count }) => ({
      name: "second opinion",
      value: `${count} × ${severity} ${location}: ${message} ${request} → ${status}`,
    })),
  ];
  return createPropertyList(facts);
}

function createPropertyList(facts: readonly { name: string; value: string }[]): XmlElement {
  return { name: "properties", elements: facts.map((attributes) => ({ name: "property", attributes })) };
}

/** Returns one case for each check of a scenario. A scenario that was not executed has one case. */
function createCases(report: Report, line: ScenarioEntry, outline: Outline, titles: ReadonlyMap<string, string>): Case[] {
  const checks = report.checks.filter(({ scenario }) => scenario === line.scenario);
  if (checks.length > 0)
    return checks.map((check) => ({ ...createCase(report, check, line, outline), cause: titles.get(check.id) }));
  const { title, file, verdict, scenario, reason } = line;
  return [
    {
      ...{ name: title, classname: createClassName(file, scenario), file },
      result: chooseJunitResult(verdict, isClaimed(report, line.proves)),
      ...(reason && { message: reason }),
    },
  ];
}

function createCase(report: Report, check: Check, { title, proves }: ScenarioEntry, outline: Outline): Case {
  const { step, file, line, scenario, verdict, clauses, expected, actual, reason, curl } = check;
  const lines = [
    title,
    `clauses: ${clauses.join(", ")}`,
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(actual === undefined ? [] : [`actual: ${actual}`]),
    ...clauses.map((clause) => describeClausePlace(clause, outline)).filter((place) => place !== ""),
    ...formatExchange(check).map(([label, text]) => `${label.padEnd(9)}${text}`),
    ...(curl === undefined ? [] : [`curl: ${curl}`]),
    `replay: ${replayCommand(report, check)}`,
  ];
  return {
    name: step,
    classname: createClassName(file, scenario),
    file,
    line,
    result: chooseJunitResult(verdict, isClaimed(report, clauses.length > 0 ? clauses : proves)),
    message: reason ?? actual ?? verdict,
    detail: lines.join("\n"),
  };
}

function createStaleCases(report: Report): Case[] {
  return listStaleWaivers(report).map(({ clause, ticket }) => ({
    name: `waiver of ${clause}`,
    classname: "verdict",
    result: "failure",
    message: `the clause passes: remove its waiver (${ticket})`,
  }));
}

function createVerdictCase(report: Report): Case {
  const result = { passed: undefined, failed: "failure", inconclusive: "error", "harness-error": "error" } as const;
  return {
    name: "the whole run",
    classname: "verdict",
    result: result[report.verdict],
    message: formatHeadline(report),
    detail: runSummary(report),
  };
}

/** Returns whether the run claims one of these clauses. It claims no clause that its profile excludes or that is outside its claim. */
function isClaimed({ clauses }: Report, ids: readonly string[]): boolean {
  const clauseVerdicts = clauses.filter(({ id }) => ids.includes(id));
  return clauseVerdicts.some(({ verdict }) => !["not-applicable", "informational", "warned", "waived"].includes(verdict));
}

/** Maps a verdict to a JUnit element. An inconclusive case is an error if the run claims its clauses, and skipped otherwise. */
function chooseJunitResult(verdict: Verdict, claimed: boolean): JUnitResult {
  switch (verdict) {
    case "passed":
    case "informational":
    case "warned":
      return undefined;
    case "failed":
    case "stale-waiver":
      return "failure";
    case "inconclusive":
      return claimed ? "error" : "skipped";
    case "harness-error":
      return "error";
    case "not-observed":
    case "not-applicable":
    case "waived":
      return "skipped";
    default:
      return verdict satisfies never;
  }
}

/** Returns the class name of a scenario: `FOLDER.NAME` for `scenarios/FOLDER/NAME.yaml`. */
function createClassName(file: string, scenario: string): string {
  const folder = file.split(/[\\/]/).at(-2);
  return folder ? `${folder}.${scenario}` : scenario;
}

function countTotals(cases: readonly Case[]): Record<string, number> {
  const count = (result: JUnitResult) => cases.filter((one) => one.result === result).length;
  return { tests: cases.length, failures: count("failure"), errors: count("error"), skipped: count("skipped") };
}
