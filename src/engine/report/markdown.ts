import { escapeInline, formatCode, formatCodeBlock } from "../../common/escape/markdown.js";
import { html } from "../../common/html/markup.js";
import { cutText } from "../../common/phrases.js";
import type { Check } from "../execute/check.js";
import { formatImpact, listCauses, type ReportedCause, summarizeCauses } from "./causes.js";
import { formatDimensions, listPartlyCovered, summarizeDimensions } from "./dimension-coverage.js";
import { formatExchange } from "./exchange-text.js";
import type { Outline } from "./outline.js";
import { formatQualityLine } from "./quality.js";
import type { Report } from "./report.js";
import {
  describeClausePlace,
  describeSecondOpinion,
  formatHeadline,
  groupLeftovers,
  groupReasons,
  groupStarted,
  listColumns,
  listSections,
  listStaleWaivers,
  listWaiverEffects,
  replayCommand,
  runSummary,
} from "./summary.js";

/** A comment on a pull request holds 65,536 characters. */
const MAX_FINDINGS = 20;
const MAX_CHARACTERS = 50_000;
const MAX_REASONS = 20;
const MAX_NAMES = 5;
const MAX_VIOLATIONS = 10;
const MAX_TEXT_CHARACTERS = 1000;
const MAX_EXCHANGE_CHARACTERS = 1500;
const VERDICT_SIGNS: Readonly<Record<Report["verdict"], string>> = {
  passed: "✅",
  failed: "❌",
  inconclusive: "⚠️",
  "harness-error": "💥",
};

/** Formats a report as Markdown for a pull request: verdict, table of sections, findings, and reasons of unjudged scenarios. */
export function formatMarkdownReport(report: Report, outline: Outline): string {
  const reasons = groupReasons(report);
  const parts = [
    `## ${VERDICT_SIGNS[report.verdict]} ${inline(formatHeadline(report))}`,
    inline(report.outcome.sentence),
    inline(runSummary(report)),
    formatNotes(report),
    formatTable(report, outline),
    ...formatFindingsByCause(report, outline),
    listStaleWaivers(report)
      .map(({ clause, ticket }) => `- ❌ ${formatCode(clause)} passes: remove its waiver (${inline(ticket)})`)
      .join("\n"),
    formatWaived(report),
    reasons
      .slice(0, MAX_REASONS)
      .map(({ verdict, reason, scenarios }) => `- ${inline(verdict)}: ${inline(reason)} (${formatScenarioNames(scenarios)})`)
      .join("\n"),
    startText(report),
    formatLeftovers(report),
    formatDimensionCoverage(report),
    formatSecondOpinion(report),
    inline(formatQualityLine(report)),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Formats the notes of the preflight in small type. */
function formatNotes({ notes = [] }: Report): string {
  return notes
    .slice(0, MAX_REASONS)
    .map((note) => `- <sub>${inline(note)}</sub>`)
    .join("\n");
}

function formatTable(report: Report, outline: Outline): string {
  const columns = listColumns(report).filter((verdict) => report.counts[verdict]);
  const rows = listSections(report, outline).map(({ number, title, clauses }) => [
    inline(`§${number} ${title}`),
    ...columns.map((verdict) => String(clauses.filter((clause) => clause.verdict === verdict).length || "")),
  ]);
  const all = ["**all**", ...columns.map((verdict) => `**${report.counts[verdict]}**`)];
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(["clauses", ...columns]), line(["---", ...columns.map(() => "--:")]), ...[...rows, all].map(line)].join("\n");
}

/** Formats the first findings of each cause, up to the size of a comment. */
function formatFindingsByCause(report: Report, outline: Outline): string[] {
  const causes = listCauses(report, outline);
  const all = causes.reduce((sum, { checks }) => sum + checks.length, 0);
  const max = Math.max(1, Math.floor(MAX_FINDINGS / Math.max(1, causes.length)));
  let shown = 0;
  let length = 0;
  const parts = causes.slice(0, MAX_FINDINGS).flatMap((cause) => {
    const texts = cause.checks.slice(0, max).map((check) => formatFinding(report, check, outline));
    const fitting = texts.filter((text) => {
      length += text.length;
      if (length > MAX_CHARACTERS) return false;
      shown += 1;
      return true;
    });
    return all > 1 ? [formatCauseHeading(cause, cause.checks.length - fitting.length), ...fitting] : fitting;
  });
  const more = all - shown;
  return [
    ...(all > 1 ? [inline(summarizeCauses(causes))] : []),
    ...parts,
    ...(more > 0 ? [`… and ${more} more findings in \`report.json\`.`] : []),
  ];
}

function formatCauseHeading(cause: ReportedCause, more: number): string {
  const others = cause.checks.slice(-more).map(({ id }) => formatCode(id));
  const rest =
    more > 0
      ? `\n\n<sub>Also ${others.slice(0, MAX_NAMES).join(", ")}${more > MAX_NAMES ? ` and ${more - MAX_NAMES} more` : ""}</sub>`
      : "";
  return `### ${inline(cause.title)}\n\n${inline(`${formatImpact(cause)}. ${cause.contrasts.join("; ")}.`)}${rest}`;
}

function formatFinding(report: Report, check: Check, outline: Outline): string {
  const { id, clauses, expected = "", actual = "", file, line, curl = "", replay, exchanges } = check;
  const lines = formatExchange(check).map(([label, text]) => `${label.padEnd(9)}${text}`);
  return [
    html`<details><summary>❌ <b>${clauses.join(", ")}</b> ${id}</summary>`.markup,
    ...clauses.map((clause) => `> ${outline.clauses[clause]?.description ?? inline(clause)}${findSectionName(clause, outline)}`),
    `Expected:\n${formatFence(expected)}`,
    `Actual:\n${formatFence(actual)}`,
    ...(exchanges ? [`Sent and received:\n${formatFence(lines.join("\n"), "http", MAX_EXCHANGE_CHARACTERS)}`] : []),
    `${replay === undefined ? inline(`${file}:${line}`) : ""}\n${formatFence(`${curl}\n${replayCommand(report, check)}`.trim(), "sh")}`,
    "</details>",
  ].join("\n\n");
}

/** Formats the section of the contract that states a clause. */
function findSectionName(clause: string, outline: Outline): string {
  const place = describeClausePlace(clause, outline);
  return place === "" ? "" : ` (${inline(place)})`;
}

function formatDimensionCoverage(report: Report): string {
  const part = listPartlyCovered(report).slice(0, MAX_REASONS);
  return [
    inline(summarizeDimensions(report)),
    ...part.map((clause) => `- ${formatCode(clause.id)}: passed, ${inline(formatDimensions(clause, MAX_NAMES))}`),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function formatWaived(report: Report): string {
  return listWaiverEffects(report)
    .map(({ clause, effect, ticket }) => `- ${formatCode(clause)}: ${inline(effect)} (${inline(ticket)})`)
    .join("\n");
}

function startText(report: Report): string {
  const lines = groupStarted(report).map(({ what, ids }) => `- ${ids.length} × ${inline(what)}: ${inline(ids.join(", "))}`);
  return lines.length === 0 ? "" : ["### Paid work that the run started", "", ...lines].join("\n");
}

function formatLeftovers(report: Report): string {
  const lines = groupLeftovers(report)
    .slice(0, MAX_REASONS)
    .map(
      ({ what, why, ids, scenarios }) =>
        `- ${inline(what)}: ${inline(ids.join(", "))}: ${inline(why)} (${formatScenarioNames(scenarios)})`,
    );
  return lines.length === 0 ? "" : ["### Left behind on the server", "", ...lines].join("\n");
}

function formatSecondOpinion({ second_opinion: opinion }: Report): string {
  if (!opinion) return "";
  const more = opinion.violations.length - MAX_VIOLATIONS;
  const lines = opinion.violations
    .slice(0, MAX_VIOLATIONS)
    .map(
      ({ severity, location, message, request, status, count }) =>
        `- ${count} × ${inline(severity)} ${inline(location)}: ${inline(message)} (${inline(request)} → ${inline(String(status))})`,
    );
  return [
    `### Second opinion\n\nIt does not affect the verdict. ${inline(describeSecondOpinion(opinion))}.`,
    ...(lines.length > 0 ? ["", ...lines] : []),
    ...(more > 0 ? [`- … and ${more} more in \`report.json\``] : []),
  ].join("\n");
}

function formatScenarioNames(scenarios: readonly string[]): string {
  return scenarios.length > 3 ? `${scenarios.length} scenarios` : scenarios.map((name) => formatCode(name)).join(", ");
}

/** Escapes a text for one line of Markdown. */
function inline(text: string): string {
  return escapeInline(cutText(text, MAX_TEXT_CHARACTERS));
}

function formatFence(text: string, language = "", max = MAX_TEXT_CHARACTERS): string {
  return formatCodeBlock(cutText(text, max), language);
}
