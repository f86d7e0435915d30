import { type XmlElement, xmlText } from "../../common/escape/xml.js";
import type { Check, Verdict } from "../execute/check.js";
import type { ScenarioLine } from "../verdict/scenario-line.js";
import { exchangeLines } from "./exchange-text.js";
import type { Outline } from "./outline.js";
import { qualityLine } from "./quality.js";
import { reachText } from "./reach.js";
import type { Report } from "./report.js";
import {
  effort,
  headline,
  leftoverGroups,
  opinionLine,
  placeOfClause,
  replayCommand,
  staleWaivers,
  waiverEffects,
} from "./summary.js";

/** How a test case ended, in JUnit's words; nothing for one that passed. */
type Ending = "failure" | "error" | "skipped" | undefined;

interface Case {
  name: string;
  classname: string;
  file?: string;
  line?: number;
  ending: Ending;
  message?: string;
  detail?: string;
}

/**
 * A report as JUnit XML: a suite a scenario, a case a check. The last suite holds the verdict of the whole run and stale waivers, so that
 * a run in which much was never observed is not green; its properties are why it has this verdict, and what no verdict depends on: the seed, of how much that a clause speaks of it was judged, how good the suite is, notes, what is
 * left behind on the server, and the second opinion.
 */
export function junitReport(report: Report, outline: Outline): string {
  const suites = [
    ...report.scenarios.map((line) => ({ name: line.scenario, cases: casesOf(report, line, outline) })),
    { name: "verdict", cases: [...staleCases(report), verdictCase(report)] },
  ];
  return xmlText({
    name: "testsuites",
    attributes: { name: `${report.target}, profile ${report.profile}`, ...totals(suites.flatMap(({ cases }) => cases)) },
    elements: suites.map(({ name, cases }) => ({
      name: "testsuite",
      attributes: { name, timestamp: report.started_at, ...totals(cases) },
      elements: [...(name === "verdict" ? [propertiesOf(report)] : []), ...cases.map(caseElement)],
    })),
  });
}

function caseElement({ ending, message = "", detail = "", ...attributes }: Case): XmlElement {
  const elements = ending ? [{ name: ending, attributes: { message }, text: detail }] : [];
  return { name: "testcase", attributes, elements };
}

function propertiesOf(report: Report): XmlElement {
  const { notes = [], second_opinion: opinion, seed } = report;
  const quality = qualityLine(report);
  const facts = [
    { name: "outcome", value: report.outcome.sentence },
    { name: "seed", value: String(seed) },
    ...(quality === "" ? [] : [{ name: "suite quality", value: quality }]),
    ...report.clauses.flatMap((clause) =>
      clause.over ? [{ name: `${clause.id} ${clause.verdict}`, value: reachText(clause) }] : [],
    ),
    ...waiverEffects(report).map(({ clause, effect, ticket }) => ({ name: "waiver", value: `${clause} (${ticket}): ${effect}` })),
    ...notes.map((value) => ({ name: "note", value })),
    ...leftoverGroups(report).map(({ what, why, ids }) => ({ name: "left behind", value: `${what}: ${ids.join(", ")}: ${why}` })),
    ...(opinion ? [{ name: "second opinion", value: opinionLine(opinion) }] : []),
    ...(opinion?.violations ?? []).map(({ severity, location, message, request, status, count }) => ({
      name: "second opinion",
      value: `${count} × ${severity} ${location}: ${message} ${request} → ${status}`,
    })),
  ];
  return { name: "properties", elements: facts.map((attributes) => ({ name: "property", attributes })) };
}

/** A scenario's checks; one that was not executed is a case by itself. */
function casesOf(report: Report, line: ScenarioLine, outline: Outline): Case[] {
  const checks = report.checks.filter(({ scenario }) => scenario === line.scenario);
  if (checks.length > 0) return checks.map((check) => caseOf(report, check, line, outline));
  const { title, file, verdict, scenario, reason } = line;
  return [
    {
      ...{ name: title, classname: classOf(file, scenario), file },
      ending: endingOf(verdict, isClaimed(report, line.proves)),
      ...(reason && { message: reason }),
    },
  ];
}

function caseOf(report: Report, check: Check, { title, proves }: ScenarioLine, outline: Outline): Case {
  const { step, file, line, scenario, verdict, clauses, expected, actual, reason, curl } = check;
  const lines = [
    title,
    `clauses: ${clauses.join(", ")}`,
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(actual === undefined ? [] : [`actual: ${actual}`]),
    ...clauses.map((clause) => placeOfClause(clause, outline)).filter((place) => place !== ""),
    ...exchangeLines(check).map(([label, text]) => `${label.padEnd(8)}${text}`),
    ...(curl === undefined ? [] : [`try: ${curl}`]),
    `again: ${replayCommand(report, check)}`,
  ];
  return {
    name: step,
    classname: classOf(file, scenario),
    file,
    line,
    ending: endingOf(verdict, isClaimed(report, clauses.length > 0 ? clauses : proves)),
    message: reason ?? actual ?? verdict,
    detail: lines.join("\n"),
  };
}

function staleCases(report: Report): Case[] {
  return staleWaivers(report).map(({ clause, ticket }) => ({
    name: `waiver of ${clause}`,
    classname: "verdict",
    ending: "failure",
    message: `the clause passes: take away its waiver (${ticket})`,
  }));
}

function verdictCase(report: Report): Case {
  const ending = { passed: undefined, failed: "failure", inconclusive: "error", "harness-error": "error" } as const;
  return {
    name: "the whole run",
    classname: "verdict",
    ending: ending[report.verdict],
    message: headline(report),
    detail: effort(report),
  };
}

/** Whether the run was to earn one of these clauses, and has not: what is left out by its profile or came after its claim it was not. */
function isClaimed({ clauses }: Report, ids: readonly string[]): boolean {
  const asked = clauses.filter(({ id }) => ids.includes(id));
  return asked.some(({ verdict }) => verdict !== "not-applicable" && verdict !== "informational" && verdict !== "waived");
}

/** What could not be told is an error only of what the run claims; of the rest, and of what was not observed, it is skipped with its reason. */
function endingOf(verdict: Verdict, claimed: boolean): Ending {
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

/** `scenarios/FOLDER/NAME.yaml` as a package of classes: `FOLDER.NAME`. */
function classOf(file: string, scenario: string): string {
  const folder = file.split(/[\\/]/).at(-2);
  return folder ? `${folder}.${scenario}` : scenario;
}

function totals(cases: readonly Case[]): Record<string, number> {
  const count = (ending: Ending) => cases.filter((one) => one.ending === ending).length;
  return { tests: cases.length, failures: count("failure"), errors: count("error"), skipped: count("skipped") };
}
