import { styleText } from "node:util";
import type { Check } from "../execute/check.js";
import type { ClauseVerdict } from "../verdict/clauses.js";
import type { Outline } from "./outline.js";
import { partlyJudged, reachLine, reachText } from "./reach.js";
import type { Report } from "./report.js";
import {
  columnsOf,
  coverageTotals,
  effort,
  findings,
  headline,
  leftoverGroups,
  opinionLine,
  qualityLine,
  reasonGroups,
  replayCommand,
  sectionsOf,
  staleWaivers,
} from "./summary.js";

/** How text is shown: in colour on a terminal, plain elsewhere. */
export interface TextStyle {
  colour: boolean;
}

const MOST_REASONS = 20;
const MOST_NAMES = 5;

/** A report for people: clauses by section and verdict, each failure, what could not be judged, and the verdict. */
export function textReport(report: Report, outline: Outline, style: TextStyle): string {
  const paint = (colour: Parameters<typeof styleText>[0], text: string) =>
    style.colour ? styleText(colour, text, { validateStream: false }) : text;
  const colour = report.verdict === "passed" ? "green" : report.verdict === "failed" ? "red" : "yellow";
  const parts = [
    (report.notes ?? []).map((note) => `${paint("yellow", "!")} ${note}`).join("\n"),
    table(report, outline),
    ...findings(report).map(
      (check) => `${paint("red", "✗")} ${paint("bold", check.id)}\n${failureText(check, outline, replayCommand(report, check))}`,
    ),
    ...staleWaivers(report).map(
      ({ clause, ticket }) => `${paint("red", "✗")} ${paint("bold", clause)} passes: take away its waiver (${ticket})`,
    ),
    reasons(report),
    leftoverText(report),
    secondOpinion(report),
    points(report),
    reach(report),
    paint(colour, `${headline(report)}\n${effort(report)}`),
    qualityLine(report),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** A check in which the server contradicts the contract, in labelled lines; `again` is the command that replays it. */
export function failureText(check: Check, { clauses }: Pick<Outline, "clauses">, again: string): string {
  const lines = [
    ...check.clauses.map((id) => ["clause", `${id}: ${clauses[id]?.says ?? ""}`]),
    ["expected", check.expected],
    ["actual", check.actual],
    ["at", check.replay === undefined ? `${check.file}:${check.line}` : undefined],
    ["try", check.curl],
    ["again", again],
  ];
  return lines.flatMap(([label, text]) => (text ? [`  ${label?.padEnd(9)}${text}`] : [])).join("\n");
}

function table(report: Report, outline: Outline): string {
  const columns = columnsOf(report);
  const count = (clauses: readonly ClauseVerdict[]) =>
    columns.map((verdict) => String(clauses.filter((clause) => clause.verdict === verdict).length || ""));
  const lines = [
    ["clauses", ...columns],
    ...sectionsOf(report, outline).map(({ number, title, clauses }) => [`§${number} ${title}`, ...count(clauses)]),
    ["all", ...count(report.clauses)],
  ];
  const pad = (cell: string, column: number) => (column === 0 ? cell.padEnd(20) : cell.padStart(15));
  return lines.map((cells) => cells.map(pad).join("").trimEnd()).join("\n");
}

/** Why scenarios were not judged: each reason once, with how many it stopped. */
function reasons(report: Report): string {
  const lines = reasonGroups(report).map(
    ({ verdict, reason, scenarios }) =>
      `  ${scenarios.length > 1 ? `${scenarios.length} scenarios` : scenarios[0]}: ${verdict}: ${reason}`,
  );
  const more = lines.length > MOST_REASONS ? [`  and ${lines.length - MOST_REASONS} reasons more, all in report.json`] : [];
  return [...lines.slice(0, MOST_REASONS), ...more].join("\n");
}

/** What is still there on the server; empty where nothing is. */
export function leftoverText(report: Pick<Report, "leftovers">): string {
  const lines = leftoverGroups(report).map(
    ({ what, why, ids, scenarios }) => `  ${what}: ${shortened(ids)}: ${why} (${shortened(scenarios)})`,
  );
  return lines.length === 0 ? "" : ["left behind on the server:", ...lines].join("\n");
}

function shortened(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return more > 0 ? `${names.slice(0, MOST_NAMES).join(", ")} and ${more} more` : names.join(", ");
}

/** How much of what properties can reach they have reached; the report's other forms say what was left out. */
function points({ properties }: Report): string {
  const sums = coverageTotals(properties).map(({ kind, visited, all }) => `${visited} of ${all} ${kind}`);
  return sums.length === 0 ? "" : `properties reached ${sums.join(", ")}`;
}

/** Of how much that clauses speak of the passes are, and which clauses passed on a part of it. */
function reach(report: Report): string {
  const part = partlyJudged(report).map((clause) => `  ${clause.id}: passed, ${reachText(clause, MOST_NAMES)}`);
  const more = part.length > MOST_REASONS ? [`  and ${part.length - MOST_REASONS} clauses more, all in report.json`] : [];
  return [reachLine(report), ...part.slice(0, MOST_REASONS), ...more].filter((line) => line !== "").join("\n");
}

/** What the other validator says, which no verdict depends on. */
function secondOpinion({ second_opinion: opinion }: Report): string {
  if (!opinion) return "";
  const lines = opinion.violations.map(
    ({ severity, location, message, request, status, count }) =>
      `  ${count} × ${severity} ${location}: ${message}  ${request} → ${status}`,
  );
  return [`second opinion (no part of the verdict): ${opinionLine(opinion)}`, ...lines].join("\n");
}
