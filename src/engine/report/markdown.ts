import type { Check } from "../execute/check.js";
import type { Outline } from "./outline.js";
import { partlyJudged, reachLine, reachText } from "./reach.js";
import type { Report } from "./report.js";
import {
  columnsOf,
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

/** A comment on a pull request holds 65,536 characters. */
const MOST_FINDINGS = 20;
const MOST_REASONS = 20;
const MOST_NAMES = 5;
const MOST_VIOLATIONS = 10;
const LONGEST = 1000;
const SIGNS: Readonly<Record<Report["verdict"], string>> = {
  passed: "✅",
  failed: "❌",
  inconclusive: "⚠️",
  "harness-error": "💥",
};

/** A report as Markdown for a pull request: the verdict, a table by section, each finding folded, and what could not be judged. */
export function markdownReport(report: Report, outline: Outline): string {
  const found = findings(report);
  const reasons = reasonGroups(report);
  const more = found.length - MOST_FINDINGS;
  const parts = [
    `## ${SIGNS[report.verdict]} ${inline(headline(report))}`,
    effort(report),
    notes(report),
    table(report, outline),
    ...found.slice(0, MOST_FINDINGS).map((check) => finding(report, check, outline)),
    more > 0 ? `… and ${more} findings more, all in \`report.json\`.` : "",
    staleWaivers(report)
      .map(({ clause, ticket }) => `- ❌ \`${clause}\` passes: take away its waiver (${inline(ticket)})`)
      .join("\n"),
    waived(report),
    reasons
      .slice(0, MOST_REASONS)
      .map(({ verdict, reason, scenarios }) => `- ${verdict}: ${inline(reason)} (${whom(scenarios)})`)
      .join("\n"),
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
    `§${number} ${title}`,
    ...columns.map((verdict) => String(clauses.filter((clause) => clause.verdict === verdict).length || "")),
  ]);
  const all = ["**all**", ...columns.map((verdict) => `**${report.counts[verdict]}**`)];
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(["clauses", ...columns]), line(["---", ...columns.map(() => "--:")]), ...[...rows, all].map(line)].join("\n");
}

function finding(report: Report, check: Check, outline: Outline): string {
  const { id, clauses, expected = "", actual = "", file, line, curl = "", replay } = check;
  return [
    `<details><summary>❌ <b>${escaped(clauses.join(", "))}</b> ${escaped(id)}</summary>`,
    ...clauses.map((clause) => `> ${outline.clauses[clause]?.says ?? inline(clause)}`),
    `Expected:\n${fenced(expected)}`,
    `Actual:\n${fenced(actual)}`,
    `${replay === undefined ? inline(`${file}:${line}`) : ""}\n${fenced(`${curl}\n${replayCommand(report, check)}`.trim(), "sh")}`,
    "</details>",
  ].join("\n\n");
}

function reach(report: Report): string {
  const part = partlyJudged(report).slice(0, MOST_REASONS);
  return [reachLine(report), ...part.map((clause) => `- \`${clause.id}\`: passed, ${inline(reachText(clause, MOST_NAMES))}`)]
    .filter((line) => line !== "")
    .join("\n");
}

function waived({ waivers }: Report): string {
  const used = waivers.filter(({ state }) => state === "used");
  return used
    .map(
      ({ clause, reason, ticket, expires }) => `- waived until ${expires}: \`${clause}\`, ${inline(reason)} (${inline(ticket)})`,
    )
    .join("\n");
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
        `- ${count} × ${inline(severity)} ${inline(location)}: ${inline(message)} (${inline(request)} → ${status})`,
    );
  return [
    `### Second opinion\n\nNo part of the verdict. ${inline(opinionLine(opinion))}.`,
    ...(lines.length > 0 ? ["", ...lines] : []),
    ...(more > 0 ? [`- … and ${more} more, all in \`report.json\``] : []),
  ].join("\n");
}

function whom(scenarios: readonly string[]): string {
  return scenarios.length > 3 ? `${scenarios.length} scenarios` : scenarios.map((name) => `\`${name}\``).join(", ");
}

/** Text inside a line, in which nothing is markup. */
function inline(text: string): string {
  return cut(text)
    .replace(/\s+/g, " ")
    .replace(/[\\`*_[\]<>|#]/g, "\\$&");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** A block of code whose fence is longer than any inside it. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${cut(text)}\n${fence}`;
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
