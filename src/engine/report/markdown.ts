import { markdownBlock, markdownCode, markdownInline } from "../../common/escape/markdown.js";
import { html } from "../../common/html/markup.js";
import { cutText } from "../../common/phrases.js";
import type { Check } from "../execute/check.js";
import { causesIn, causesSummary, impactText, type ReportedCause } from "./causes.js";
import { dimensionSummary, dimensionText, partlyCovered } from "./dimension-coverage.js";
import { exchangeLines } from "./exchange-text.js";
import type { Outline } from "./outline.js";
import { qualityLine } from "./quality.js";
import type { Report } from "./report.js";
import {
  columnsOf,
  headline,
  leftoverGroups,
  placeOfClause,
  reasonGroups,
  replayCommand,
  runSummary,
  secondOpinionText,
  sectionsOf,
  staleWaivers,
  startedGroups,
  waiverEffects,
} from "./summary.js";

/** A comment on a pull request holds 65,536 characters. */
const MAX_FINDINGS = 20;
const MAX_CHARACTERS = 50_000;
const MAX_REASONS = 20;
const MAX_NAMES = 5;
const MAX_VIOLATIONS = 10;
const LONGEST = 1000;
const LONGEST_EXCHANGE = 1500;
const SIGNS: Readonly<Record<Report["verdict"], string>> = {
  passed: "✅",
  failed: "❌",
  inconclusive: "⚠️",
  "harness-error": "💥",
};

/** Formats a report as Markdown for a pull request: verdict, table of sections, findings, and reasons of unjudged scenarios. */
export function markdownReport(report: Report, outline: Outline): string {
  const reasons = reasonGroups(report);
  const parts = [
    `## ${SIGNS[report.verdict]} ${inline(headline(report))}`,
    inline(report.outcome.sentence),
    inline(runSummary(report)),
    notes(report),
    table(report, outline),
    ...findingsByCause(report, outline),
    staleWaivers(report)
      .map(({ clause, ticket }) => `- ❌ ${markdownCode(clause)} passes: remove its waiver (${inline(ticket)})`)
      .join("\n"),
    waivedText(report),
    reasons
      .slice(0, MAX_REASONS)
      .map(({ verdict, reason, scenarios }) => `- ${inline(verdict)}: ${inline(reason)} (${scenarioNames(scenarios)})`)
      .join("\n"),
    startText(report),
    leftovers(report),
    dimensionCoverage(report),
    secondOpinion(report),
    inline(qualityLine(report)),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Formats the notes of the preflight in small type. */
function notes({ notes = [] }: Report): string {
  return notes
    .slice(0, MAX_REASONS)
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

/** Formats the first findings of each cause, up to the size of a comment. */
function findingsByCause(report: Report, outline: Outline): string[] {
  const causes = causesIn(report, outline);
  const all = causes.reduce((sum, { checks }) => sum + checks.length, 0);
  const max = Math.max(1, Math.floor(MAX_FINDINGS / Math.max(1, causes.length)));
  let shown = 0;
  let length = 0;
  const parts = causes.slice(0, MAX_FINDINGS).flatMap((cause) => {
    const texts = cause.checks.slice(0, max).map((check) => findingText(report, check, outline));
    const fitting = texts.filter((text) => {
      length += text.length;
      if (length > MAX_CHARACTERS) return false;
      shown += 1;
      return true;
    });
    return all > 1 ? [causeHeading(cause, cause.checks.length - fitting.length), ...fitting] : fitting;
  });
  const more = all - shown;
  return [
    ...(all > 1 ? [inline(causesSummary(causes))] : []),
    ...parts,
    ...(more > 0 ? [`… and ${more} more findings in \`report.json\`.`] : []),
  ];
}

function causeHeading(cause: ReportedCause, more: number): string {
  const others = cause.checks.slice(-more).map(({ id }) => markdownCode(id));
  const rest =
    more > 0
      ? `\n\n<sub>Also ${others.slice(0, MAX_NAMES).join(", ")}${more > MAX_NAMES ? ` and ${more - MAX_NAMES} more` : ""}</sub>`
      : "";
  return `### ${inline(cause.title)}\n\n${inline(`${impactText(cause)}. ${cause.contrasts.join("; ")}.`)}${rest}`;
}

function findingText(report: Report, check: Check, outline: Outline): string {
  const { id, clauses, expected = "", actual = "", file, line, curl = "", replay, exchanges } = check;
  const lines = exchangeLines(check).map(([label, text]) => `${label.padEnd(9)}${text}`);
  return [
    html`<details><summary>❌ <b>${clauses.join(", ")}</b> ${id}</summary>`.markup,
    ...clauses.map((clause) => `> ${outline.clauses[clause]?.description ?? inline(clause)}${sectionOf(clause, outline)}`),
    `Expected:\n${fenceText(expected)}`,
    `Actual:\n${fenceText(actual)}`,
    ...(exchanges ? [`Sent and received:\n${fenceText(lines.join("\n"), "http", LONGEST_EXCHANGE)}`] : []),
    `${replay === undefined ? inline(`${file}:${line}`) : ""}\n${fenceText(`${curl}\n${replayCommand(report, check)}`.trim(), "sh")}`,
    "</details>",
  ].join("\n\n");
}

/** Formats the section of the contract that states a clause. */
function sectionOf(clause: string, outline: Outline): string {
  const place = placeOfClause(clause, outline);
  return place === "" ? "" : ` (${inline(place)})`;
}

function dimensionCoverage(report: Report): string {
  const part = partlyCovered(report).slice(0, MAX_REASONS);
  return [
    inline(dimensionSummary(report)),
    ...part.map((clause) => `- ${markdownCode(clause.id)}: passed, ${inline(dimensionText(clause, MAX_NAMES))}`),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function waivedText(report: Report): string {
  return waiverEffects(report)
    .map(({ clause, effect, ticket }) => `- ${markdownCode(clause)}: ${inline(effect)} (${inline(ticket)})`)
    .join("\n");
}

function startText(report: Report): string {
  const lines = startedGroups(report).map(({ what, ids }) => `- ${ids.length} × ${inline(what)}: ${inline(ids.join(", "))}`);
  return lines.length === 0 ? "" : ["### Paid work that the run started", "", ...lines].join("\n");
}

function leftovers(report: Report): string {
  const lines = leftoverGroups(report)
    .slice(0, MAX_REASONS)
    .map(
      ({ what, why, ids, scenarios }) =>
        `- ${inline(what)}: ${inline(ids.join(", "))}: ${inline(why)} (${scenarioNames(scenarios)})`,
    );
  return lines.length === 0 ? "" : ["### Left behind on the server", "", ...lines].join("\n");
}

function secondOpinion({ second_opinion: opinion }: Report): string {
  if (!opinion) return "";
  const more = opinion.violations.length - MAX_VIOLATIONS;
  const lines = opinion.violations
    .slice(0, MAX_VIOLATIONS)
    .map(
      ({ severity, location, message, request, status, count }) =>
        `- ${count} × ${inline(severity)} ${inline(location)}: ${inline(message)} (${inline(request)} → ${inline(String(status))})`,
    );
  return [
    `### Second opinion\n\nIt does not affect the verdict. ${inline(secondOpinionText(opinion))}.`,
    ...(lines.length > 0 ? ["", ...lines] : []),
    ...(more > 0 ? [`- … and ${more} more in \`report.json\``] : []),
  ].join("\n");
}

function scenarioNames(scenarios: readonly string[]): string {
  return scenarios.length > 3 ? `${scenarios.length} scenarios` : scenarios.map((name) => markdownCode(name)).join(", ");
}

/** Escapes a text for one line of Markdown. */
function inline(text: string): string {
  return markdownInline(cutText(text, LONGEST));
}

function fenceText(text: string, language = "", max = LONGEST): string {
  return markdownBlock(cutText(text, max), language);
}
