import { styleText } from "node:util";
import type { Check } from "../execute/check.js";
import type { ClauseVerdict } from "../verdict/clauses.js";
import { type CauseView, causesIn, counted, firstThing, weightText } from "./causes.js";
import { exchangeLines } from "./exchange-text.js";
import type { Outline } from "./outline.js";
import { qualityLine } from "./quality.js";
import { partlyJudged, reachLine, reachText } from "./reach.js";
import type { Report } from "./report.js";
import {
  columnsOf,
  coverageTotals,
  effort,
  explainedScenarios,
  headline,
  leftoverGroups,
  opinionLine,
  placeOfClause,
  reasonGroups,
  replayCommand,
  sectionsOf,
  staleWaivers,
  startedGroups,
  waiverEffects,
} from "./summary.js";

/** How text is shown: in colour on a terminal, plain elsewhere. */
export interface TextStyle {
  colour: boolean;
  /** All that is known of each finding and each reason; without it at most a screen. */
  details?: boolean;
}

type Paint = (colour: Parameters<typeof styleText>[0], text: string) => string;

const MOST_REASONS = 20;
const FEW_REASONS = 5;
/** Lines of findings in full that still leave the rest of the report on a screen or two. */
const MOST_LINES = 60;
const FEW_FINDINGS = 2;
const MOST_CAUSES = 12;
const CAUSES_IN_FULL = 5;
const LONGEST = 150;
const MOST_NAMES = 5;

/** A report for people: clauses by section and verdict, each failure, what could not be judged, and the verdict. */
export function textReport(report: Report, outline: Outline, style: TextStyle): string {
  const paint: Paint = (colour, text) => (style.colour ? styleText(colour, text, { validateStream: false }) : text);
  const colour = report.verdict === "passed" ? "green" : report.verdict === "failed" ? "red" : "yellow";
  const parts = [
    (report.notes ?? []).map((note) => `${paint("yellow", "!")} ${note}`).join("\n"),
    table(report, outline),
    ...failures(report, outline, style, paint),
    ...staleWaivers(report).map(
      ({ clause, ticket }) => `${paint("red", "✗")} ${paint("bold", clause)} passes: take away its waiver (${ticket})`,
    ),
    waiverEffects(report)
      .map(({ clause, effect, ticket }) => `waiver of ${clause} (${ticket}): ${effect}`)
      .join("\n"),
    reasons(report, style),
    startedText(report),
    leftoverText(report),
    secondOpinion(report),
    points(report),
    reach(report, style),
    paint(colour, `${headline(report)}\n${report.outcome.sentence}\n${effort(report)}`),
    qualityLine(report),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** A check by its name and verdict, in labelled lines. */
export function checkText(check: Check, outline: Pick<Outline, "clauses" | "sections">, again: string): string {
  return `${check.id}: ${check.verdict}${check.reason === undefined ? "" : `: ${check.reason}`}\n${failureText(check, outline, again)}`;
}

/** A check in which the server contradicts the contract, in labelled lines; `again` is the command that replays it. */
export function failureText(check: Check, outline: Pick<Outline, "clauses" | "sections">, again: string): string {
  const lines: [label: string, text: string | undefined][] = [
    ...check.clauses.flatMap((id): [string, string][] => [
      ["clause", `${id}: ${outline.clauses[id]?.says ?? ""}`],
      ["", placeOfClause(id, outline)],
    ]),
    ["expected", check.expected],
    ["actual", check.actual],
    ...exchangeLines(check),
    ["at", check.replay === undefined ? `${check.file}:${check.line}` : undefined],
    ["try", check.curl],
    ["again", again],
  ];
  return lines.flatMap(([label, text]) => (text ? [`  ${label.padEnd(9)}${text}`] : [])).join("\n");
}

/** Findings by their causes: in full where they are few or details are asked for, else a line or two a cause. */
function failures(report: Report, outline: Outline, { details }: TextStyle, paint: Paint): string[] {
  const causes = causesIn(report, outline);
  const full = causes.map((cause) => [
    ...(causes.length > 1 || cause.checks.length > 1 ? [causeText(cause, paint, true)] : []),
    ...cause.checks.map(
      (check) => `${paint("red", "✗")} ${paint("bold", check.id)}\n${failureText(check, outline, replayCommand(report, check))}`,
    ),
  ]);
  const lines = full.flat().reduce((sum, text) => sum + text.split("\n").length + 1, 0);
  const few = causes.reduce((sum, { checks }) => sum + checks.length, 0) <= FEW_FINDINGS;
  if (details || few || lines <= MOST_LINES) return full.flat();
  const more = causes.slice(MOST_CAUSES);
  const rest = more.reduce((sum, { checks }) => sum + checks.length, 0);
  return [
    firstThing(causes),
    [
      ...causes.slice(0, MOST_CAUSES).map((cause, index) => causeText(cause, paint, index < CAUSES_IN_FULL)),
      ...(more.length > 0 ? [`  and ${counted(more.length, "cause")} more, with ${counted(rest, "failed check")}`] : []),
    ].join("\n"),
    "each finding with what was sent and what came: --details, --report html, or: npx counterpart-kit show DIR CHECK",
  ];
}

function causeText(cause: CauseView, paint: Paint, full: boolean): string {
  const { title, checks, elsewhere } = cause;
  const [first] = checks;
  const heading = `${paint("red", "✗")} ${paint("bold", short(title))}: ${weightText(cause)}`;
  return full ? [heading, short(`    e.g. ${first?.id}. ${elsewhere[0] ?? ""}`)].join("\n") : heading;
}

function short(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
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
function reasons(report: Report, { details }: TextStyle): string {
  const lines = reasonGroups(report).map(
    ({ verdict, reason, scenarios }) =>
      `  ${scenarios.length > 1 ? `${scenarios.length} scenarios` : scenarios[0]}: ${verdict}: ${reason}${scenarios.length > 1 && details ? `: ${shortened(scenarios)}` : ""}`,
  );
  const most = details || lines.length <= FEW_REASONS + 1 ? MOST_REASONS : FEW_REASONS;
  const more = lines.length > most ? [`  and ${lines.length - most} reasons more, all in report.json`] : [];
  const explained = explainedScenarios(report).size;
  return [
    ...(explained > 0 ? [`  ${counted(explained, "scenario")}: inconclusive for the causes above`] : []),
    ...lines.slice(0, most).map((line) => (details ? line : short(line))),
    ...more,
  ].join("\n");
}

/** Paid work that was started; empty where none was. */
function startedText(report: Report): string {
  const lines = startedGroups(report).map(({ what, ids }) => `  ${ids.length} × ${what}: ${shortened(ids)}`);
  return lines.length === 0 ? "" : ["started, and may cost:", ...lines].join("\n");
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
function reach(report: Report, { details }: TextStyle): string {
  const part = partlyJudged(report).map((clause) => `  ${clause.id}: passed, ${reachText(clause, MOST_NAMES)}`);
  const most = details || part.length <= FEW_REASONS + 1 ? MOST_REASONS : 0;
  const left = part.length - most;
  const more =
    left > 0
      ? [`  ${most > 0 ? "and " : ""}${counted(left, "clause")}${most > 0 ? " more" : " passed in part"}, all in report.json`]
      : [];
  return [reachLine(report), ...part.slice(0, most), ...more].filter((line) => line !== "").join("\n");
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
