import { styleText } from "node:util";
import { cutText, formatCount, formatShortList } from "../../common/phrases.js";
import type { Check } from "../execute/check.js";
import type { ClauseVerdict } from "../verdict/clauses.js";
import { formatImpact, listCauses, type ReportedCause, summarizeCauses } from "./causes.js";
import { formatDimensions, listPartlyCovered, summarizeDimensions } from "./dimension-coverage.js";
import { formatExchange } from "./exchange-text.js";
import { countInterrupted } from "./interrupted.js";
import type { Outline } from "./outline.js";
import { formatQualityLine } from "./quality.js";
import type { Report } from "./report.js";
import {
  describeClausePlace,
  describeSecondOpinion,
  formatHeadline,
  formatWaiverEffect,
  groupLeftovers,
  groupReasons,
  groupStarted,
  listBlockedScenarios,
  listColumns,
  listSections,
  listStaleWaivers,
  listWaiverEffects,
  quoteCommandWord,
  replayCommand,
  runSummary,
  sumCoverage,
} from "./summary.js";

/** Options of the text form. `colour`: for a terminal. */
export interface TextStyle {
  colour: boolean;
  /** Shows every finding and reason in full. Default: about one screen. */
  details?: boolean;
  /** The directory of the written report, for commands. */
  directory?: string;
}

type Paint = (colour: Parameters<typeof styleText>[0], text: string) => string;

const MAX_REASONS = 20;
const MAX_LISTED_REASONS = 5;
/** The maximum number of lines of findings shown in full. */
const MAX_LINES = 60;
const MAX_LISTED_FINDINGS = 2;
const MAX_CAUSES = 10;
const MAX_TEXT_CHARACTERS = 150;
/** The maximum length of a title, which names an operation, a place and two values. */
const MAX_TITLE_CHARACTERS = 250;
const MAX_NAMES = 5;

/** Formats a report as text: clause table, findings, reasons of unjudged scenarios, and the verdict. */
export function formatTextReport(report: Report, outline: Outline, style: TextStyle): string {
  const paint: Paint = (colour, text) => (style.colour ? styleText(colour, text, { validateStream: false }) : text);
  const colour = report.verdict === "passed" ? "green" : report.verdict === "failed" ? "red" : "yellow";
  const parts = [
    (report.notes ?? []).map((note) => `${paint("yellow", "!")} ${note}`).join("\n"),
    formatTable(report, outline),
    ...formatFailures(report, outline, style, paint),
    ...listStaleWaivers(report).map(
      ({ clause, ticket }) => `${paint("red", "✗")} ${paint("bold", clause)} passes: remove its waiver (${ticket})`,
    ),
    listWaiverEffects(report).map(formatWaiverEffect).join("\n"),
    formatReasons(report, style),
    formatStarted(report),
    formatLeftovers(report),
    formatSecondOpinion(report),
    formatPropertyCoverage(report),
    formatDimensionCoverage(report, style),
    paint(colour, `${formatHeadline(report)}\n${report.outcome.sentence}\n${runSummary(report)}`),
    formatQualityLine(report),
    resumeAdvice(report, style),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Returns how to run the interrupted scenarios. Returns an empty text if there are none. */
function resumeAdvice(report: Report, { directory }: TextStyle): string {
  const count = countInterrupted(report);
  if (directory === undefined || count === 0) return "";
  return `${formatCount(count, "scenario")} had no connection or no time. Repeat the command with --resume ${quoteCommandWord(directory)} to run ${count === 1 ? "it" : "them"}.`;
}

/** Formats a check as labelled lines below its name and verdict. `replay`: the command that replays it. */
export function checkText(check: Check, outline: Pick<Outline, "clauses" | "sections">, replay: string): string {
  return `${check.id}: ${check.verdict}${check.reason === undefined ? "" : `: ${check.reason}`}\n${formatFailure(check, outline, replay)}`;
}

/** Formats a check as labelled lines. `replay`: the command that replays it. */
export function formatFailure(check: Check, outline: Pick<Outline, "clauses" | "sections">, replay: string): string {
  const lines: [label: string, text: string | undefined][] = [
    ...check.clauses.flatMap((id): [string, string][] => [
      ["clause", `${id}: ${outline.clauses[id]?.description ?? ""}`],
      ["", describeClausePlace(id, outline)],
    ]),
    ["expected", check.expected],
    ["actual", check.actual],
    ...formatExchange(check),
    ["at", check.replay === undefined ? `${check.file}:${check.line}` : undefined],
    ["curl", check.curl],
    ["replay", replay],
  ];
  return lines.flatMap(([label, text]) => (text ? [`  ${label.padEnd(9)}${text}`] : [])).join("\n");
}

/** Formats the findings by cause: in full if they are few or the style wants details, otherwise one or two lines for each cause. */
function formatFailures(report: Report, outline: Outline, { details, directory }: TextStyle, paint: Paint): string[] {
  const causes = listCauses(report, outline);
  const full = causes.map((cause) => [
    ...(causes.length > 1 || cause.checks.length > 1 ? [formatCauseHeading(cause, paint)] : []),
    ...cause.checks.map(
      (check) =>
        `${paint("red", "✗")} ${paint("bold", check.id)}\n${formatFailure(check, outline, replayCommand(report, check))}`,
    ),
  ]);
  const lines = full.flat().reduce((sum, text) => sum + text.split("\n").length + 1, 0);
  const few = causes.reduce((sum, { checks }) => sum + checks.length, 0) <= MAX_LISTED_FINDINGS;
  if (details || few || lines <= MAX_LINES) return full.flat();
  const more = causes.slice(MAX_CAUSES);
  const rest = more.reduce((sum, { checks }) => sum + checks.length, 0);
  return [
    summarizeCauses(causes),
    [
      ...causes.slice(0, MAX_CAUSES).map((cause) => formatCause(cause, outline, directory, paint)),
      ...(more.length > 0
        ? [`  and ${more.length} more ${more.length === 1 ? "cause" : "causes"} with ${formatCount(rest, "failed check")}`]
        : []),
    ].join("\n"),
    "To see the requests and responses of every finding: --details or --report html",
  ];
}

function formatCauseHeading(cause: ReportedCause, paint: Paint): string {
  return `${paint("red", "✗")} ${paint("bold", cutText(cause.title, MAX_TITLE_CHARACTERS))}: ${formatImpact(cause)}`;
}

/** Formats a cause in three lines: its size, its first clause, and the command that shows its clearest check. */
function formatCause(cause: ReportedCause, { clauses }: Outline, directory = "DIR", paint: Paint): string {
  const { checks, clauses: broken, contrasts } = cause;
  const description = clauses[broken[0] ?? ""]?.description;
  const clause = [...(contrasts[0] ? [contrasts[0]] : []), ...(description ? [description] : [])].join(": ");
  const [example] = checks;
  return [
    formatCauseHeading(cause, paint),
    ...(clause === "" ? [] : [cutText(`    ${clause}`, MAX_TEXT_CHARACTERS)]),
    ...(example ? [`    e.g. npx counterpart-kit show ${quoteCommandWord(directory)} ${quoteCommandWord(example.id)}`] : []),
  ].join("\n");
}

function formatTable(report: Report, outline: Outline): string {
  const columns = listColumns(report);
  const count = (clauses: readonly ClauseVerdict[]) =>
    columns.map((verdict) => String(clauses.filter((clause) => clause.verdict === verdict).length || ""));
  const lines = [
    ["clauses", ...columns],
    ...listSections(report, outline).map(({ number, title, clauses }) => [`§${number} ${title}`, ...count(clauses)]),
    ["all", ...count(report.clauses)],
  ];
  const pad = (cell: string, column: number) => (column === 0 ? cell.padEnd(20) : cell.padStart(15));
  return lines.map((cells) => cells.map(pad).join("").trimEnd()).join("\n");
}

/** Formats the reasons of unjudged scenarios, with the number of scenarios for each. */
function formatReasons(report: Report, { details }: TextStyle): string {
  const lines = groupReasons(report).map(
    ({ verdict, reason, scenarios }) =>
      `  ${scenarios.length > 1 ? `${scenarios.length} scenarios` : scenarios[0]}: ${verdict}: ${reason}${scenarios.length > 1 && details ? `: ${formatShortList(scenarios, MAX_NAMES)}` : ""}`,
  );
  const max = details || lines.length <= MAX_LISTED_REASONS + 1 ? MAX_REASONS : MAX_LISTED_REASONS;
  const more = lines.length > max ? [`  and ${lines.length - max} more reasons in report.json`] : [];
  const blockedCount = listBlockedScenarios(report).size;
  return [
    ...(blockedCount > 0 ? [`  ${formatCount(blockedCount, "scenario")}: inconclusive because of the causes above`] : []),
    ...lines.slice(0, max).map((line) => (details ? line : cutText(line, MAX_TEXT_CHARACTERS))),
    ...more,
  ].join("\n");
}

/** Formats the paid work that the run started. Returns an empty text if there is none. */
function formatStarted(report: Report): string {
  const lines = groupStarted(report).map(({ what, ids }) => `  ${ids.length} × ${what}: ${formatShortList(ids, MAX_NAMES)}`);
  return lines.length === 0 ? "" : ["paid work that the run started:", ...lines].join("\n");
}

/** Formats the leftovers on the server. Returns an empty text if there are none. */
export function formatLeftovers(report: Pick<Report, "leftovers">): string {
  const lines = groupLeftovers(report).map(
    ({ what, why, ids, scenarios }) =>
      `  ${what}: ${formatShortList(ids, MAX_NAMES)}: ${why} (${formatShortList(scenarios, MAX_NAMES)})`,
  );
  return lines.length === 0 ? "" : ["left behind on the server:", ...lines].join("\n");
}

/** Formats how many points of the contract the properties reached. The HTML form names the missing points. */
function formatPropertyCoverage({ properties }: Report): string {
  const sums = sumCoverage(properties).map(({ kind, visited, all }) => `${visited} of ${all} ${kind}`);
  return sums.length === 0 ? "" : `properties reached ${sums.join(", ")}`;
}

/** Formats the dimension coverage of passed clauses, and the clauses that passed for only some values. */
function formatDimensionCoverage(report: Report, { details }: TextStyle): string {
  const part = listPartlyCovered(report).map((clause) => `  ${clause.id}: passed, ${formatDimensions(clause, MAX_NAMES)}`);
  const max = details || part.length <= MAX_LISTED_REASONS + 1 ? MAX_REASONS : 0;
  const hidden = part.length - max;
  const more =
    hidden > 0
      ? [
          max > 0
            ? `  and ${hidden} more in report.json`
            : `  partly covered: ${formatCount(hidden, "clause")}, listed in report.json`,
        ]
      : [];
  return [summarizeDimensions(report), ...part.slice(0, max), ...more].filter((line) => line !== "").join("\n");
}

/** Formats the second opinion. */
function formatSecondOpinion({ second_opinion: opinion }: Report): string {
  if (!opinion) return "";
  const lines = opinion.violations.map(
    ({ severity, location, message, request, status, count }) =>
      `  ${count} × ${severity} ${location}: ${message}  ${request} → ${status}`,
  );
  return [`second opinion (does not affect the verdict): ${describeSecondOpinion(opinion)}`, ...lines].join("\n");
}
