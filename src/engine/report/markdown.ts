import { markdownBlock, markdownCode, markdownInline } from "../../common/escape/markdown.js";
import { html } from "../../common/html/markup.js";
import type { Check } from "../execute/check.js";
import { type CauseView, causesIn, firstThing, weightText } from "./causes.js";
import { exchangeLines } from "./exchange-text.js";
import type { Outline } from "./outline.js";
import { qualityLine } from "./quality.js";
import { partlyJudged, reachLine, reachText } from "./reach.js";
import type { Report } from "./report.js";
import {
  columnsOf,
  effort,
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

/** A comment on a pull request holds 65,536 characters. */
const MOST_FINDINGS = 20;
const MOST_CHARACTERS = 50_000;
const MOST_REASONS = 20;
const MOST_NAMES = 5;
const MOST_VIOLATIONS = 10;
const LONGEST = 1000;
const LONGEST_EXCHANGE = 1500;
const SIGNS: Readonly<Record<Report["verdict"], string>> = {
  passed: "✅",
  failed: "❌",
  inconclusive: "⚠️",
  "harness-error": "💥",
};

/** A report as Markdown for a pull request: the verdict, a table by section, each finding folded, and what could not be judged. */
export function markdownReport(report: Report, outline: Outline): string {
  const reasons = reasonGroups(report);
  const parts = [
    `## ${SIGNS[report.verdict]} ${inline(headline(report))}`,
    inline(report.outcome.sentence),
    inline(effort(report)),
    notes(report),
    table(report, outline),
    ...findingsByCause(report, outline),
    staleWaivers(report)
      .map(({ clause, ticket }) => `- ❌ ${markdownCode(clause)} passes: take away its waiver (${inline(ticket)})`)
      .join("\n"),
    waived(report),
    reasons
      .slice(0, MOST_REASONS)
      .map(({ verdict, reason, scenarios }) => `- ${inline(verdict)}: ${inline(reason)} (${whom(scenarios)})`)
      .join("\n"),
    started(report),
    leftovers(report),
    reach(report),
    secondOpinion(report),
    inline(qualityLine(report)),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** What was found out before anything was executed, in small type. */
function notes({ notes = [] }: Report): string {
  return notes
    .slice(0, MOST_REASONS)
    .map((note) => `- <sub>${inline(note)}</sub>`)
    .join("\n");
}

function table(report: Report, outline: Outline): string {
  const columns = columnsOf(report).filter((verdict) => report.counts[verdict]);
  const rows = sectionsOf(report, outline).map(({ number, title, clauses }) => [
    inline(`§${number} ${title}`),
    ...columns.map((verdict) => String(clauses.filter((clause) => clause.verdict === verdict).length || "")),
  ]);
  const all = ["**all**", ...columns.map((verdict) => `**${report.counts[verdict]}**`)];
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(["clauses", ...columns]), line(["---", ...columns.map(() => "--:")]), ...[...rows, all].map(line)].join("\n");
}

/** The first findings of each cause, as many as a comment has room for. */
function findingsByCause(report: Report, outline: Outline): string[] {
  const causes = causesIn(report, outline);
  const all = causes.reduce((sum, { checks }) => sum + checks.length, 0);
  const most = Math.max(1, Math.floor(MOST_FINDINGS / Math.max(1, causes.length)));
  let shown = 0;
  let length = 0;
  const parts = causes.slice(0, MOST_FINDINGS).flatMap((cause) => {
    const texts = cause.checks.slice(0, most).map((check) => finding(report, check, outline));
    const fitting = texts.filter((text) => {
      length += text.length;
      if (length > MOST_CHARACTERS) return false;
      shown += 1;
      return true;
    });
    return all > 1 ? [causeHeading(cause, cause.checks.length - fitting.length), ...fitting] : fitting;
  });
  const more = all - shown;
  return [
    ...(all > 1 ? [inline(firstThing(causes))] : []),
    ...parts,
    ...(more > 0 ? [`… and ${more} findings more, all in \`report.json\`.`] : []),
  ];
}

function causeHeading(cause: CauseView, more: number): string {
  const others = cause.checks.slice(-more).map(({ id }) => markdownCode(id));
  const rest =
    more > 0
      ? `\n\n<sub>Also ${others.slice(0, MOST_NAMES).join(", ")}${more > MOST_NAMES ? ` and ${more - MOST_NAMES} more` : ""}</sub>`
      : "";
  return `### ${inline(cause.title)}\n\n${inline(`${weightText(cause)}. ${cause.elsewhere.join("; ")}.`)}${rest}`;
}

function finding(report: Report, check: Check, outline: Outline): string {
  const { id, clauses, expected = "", actual = "", file, line, curl = "", replay, exchanges } = check;
  const lines = exchangeLines(check).map(([label, text]) => `${label.padEnd(8)}${text}`);
  return [
    html`<details><summary>❌ <b>${clauses.join(", ")}</b> ${id}</summary>`.markup,
    ...clauses.map((clause) => `> ${outline.clauses[clause]?.says ?? inline(clause)}${placed(clause, outline)}`),
    `Expected:\n${fenced(expected)}`,
    `Actual:\n${fenced(actual)}`,
    ...(exchanges ? [`What was sent, and what came:\n${fenced(lines.join("\n"), "http", LONGEST_EXCHANGE)}`] : []),
    `${replay === undefined ? inline(`${file}:${line}`) : ""}\n${fenced(`${curl}\n${replayCommand(report, check)}`.trim(), "sh")}`,
    "</details>",
  ].join("\n\n");
}

/** Where the contract says it. */
function placed(clause: string, outline: Outline): string {
  const place = placeOfClause(clause, outline);
  return place === "" ? "" : ` (${inline(place)})`;
}

function reach(report: Report): string {
  const part = partlyJudged(report).slice(0, MOST_REASONS);
  return [
    inline(reachLine(report)),
    ...part.map((clause) => `- ${markdownCode(clause.id)}: passed, ${inline(reachText(clause, MOST_NAMES))}`),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function waived(report: Report): string {
  return waiverEffects(report)
    .map(({ clause, effect, ticket }) => `- ${markdownCode(clause)}: ${inline(effect)} (${inline(ticket)})`)
    .join("\n");
}

function started(report: Report): string {
  const lines = startedGroups(report).map(({ what, ids }) => `- ${ids.length} × ${inline(what)}: ${inline(ids.join(", "))}`);
  return lines.length === 0 ? "" : ["### Started, and may cost", "", ...lines].join("\n");
}

function leftovers(report: Report): string {
  const lines = leftoverGroups(report)
    .slice(0, MOST_REASONS)
    .map(({ what, why, ids, scenarios }) => `- ${inline(what)}: ${inline(ids.join(", "))}: ${inline(why)} (${whom(scenarios)})`);
  return lines.length === 0 ? "" : ["### Left behind on the server", "", ...lines].join("\n");
}

function secondOpinion({ second_opinion: opinion }: Report): string {
  if (!opinion) return "";
  const more = opinion.violations.length - MOST_VIOLATIONS;
  const lines = opinion.violations
    .slice(0, MOST_VIOLATIONS)
    .map(
      ({ severity, location, message, request, status, count }) =>
        `- ${count} × ${inline(severity)} ${inline(location)}: ${inline(message)} (${inline(request)} → ${inline(String(status))})`,
    );
  return [
    `### Second opinion\n\nNo part of the verdict. ${inline(opinionLine(opinion))}.`,
    ...(lines.length > 0 ? ["", ...lines] : []),
    ...(more > 0 ? [`- … and ${more} more, all in \`report.json\``] : []),
  ].join("\n");
}

function whom(scenarios: readonly string[]): string {
  return scenarios.length > 3 ? `${scenarios.length} scenarios` : scenarios.map((name) => markdownCode(name)).join(", ");
}

/** Text inside a line, in which nothing is markup. */
function inline(text: string): string {
  return markdownInline(cut(text));
}

function fenced(text: string, language = "", most = LONGEST): string {
  return markdownBlock(cut(text, most), language);
}

function cut(text: string, most = LONGEST): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
