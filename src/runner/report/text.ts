import { styleText } from "node:util";
import type { Check } from "../play/check.js";
import type { Ledger } from "../scenario/mistakes.js";
import type { ClauseVerdict } from "../verdict.js";
import type { Progress } from "../verify.js";
import type { Report } from "./report.js";

/** How text is shown: in colour on a terminal, plain elsewhere. */
export interface TextStyle {
  colour: boolean;
}

const COLUMNS = ["passed", "failed", "inconclusive", "not-observed", "not-applicable"] as const;
const TITLES = ["What it does", "Resources", "States", "Endpoints", "Authentication", "Events", "Errors", "Limits", "Versioning"];
const MOST_REASONS = 20;

/** A report for people: clauses by section and verdict, each failure, what could not be told, and the verdict. */
export function textReport(report: Report, ledger: Ledger, style: TextStyle): string {
  const paint = (colour: Parameters<typeof styleText>[0], text: string) =>
    style.colour ? styleText(colour, text, { validateStream: false }) : text;
  const failures = report.checks.filter(({ verdict }) => verdict === "failed");
  const parts = [
    table(report.clauses, ledger),
    ...failures.map((check) => `${paint("red", "✗")} ${paint("bold", check.id)}\n${failure(check, ledger)}`),
    untold(report),
    paint(report.verdict === "passed" ? "green" : report.verdict === "failed" ? "red" : "yellow", summary(report)),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** One line on how far a run is. */
export function progressLine({ done, total, requests, scenario }: Progress): string {
  return `${done}/${total} scenarios, ${requests} requests  ${scenario}`;
}

function table(clauses: readonly ClauseVerdict[], ledger: Ledger): string {
  const sections = TITLES.map((title, index) => ({
    title: `§${index + 1} ${title}`,
    rows: clauses.filter(({ id }) => ledger[id]?.section === index + 1),
  }));
  const lines = [...sections.filter(({ rows }) => rows.length > 0), { title: "all", rows: clauses }].map(({ title, rows }) => [
    title,
    ...COLUMNS.map((verdict) => String(rows.filter((row) => row.verdict === verdict).length || "")),
  ]);
  return [["clauses", ...COLUMNS], ...lines]
    .map((cells) =>
      cells
        .map((cell, index) => (index === 0 ? cell.padEnd(20) : cell.padStart(15)))
        .join("")
        .trimEnd(),
    )
    .join("\n");
}

function failure(check: Check, ledger: Ledger): string {
  const lines = [
    ...check.clauses.map((id) => ["clause", `${id}: ${ledger[id]?.says ?? ""}`]),
    ["expected", check.expected],
    ["actual", check.actual],
    ["at", `${check.file}:${check.line}`],
    ["try", check.curl],
  ];
  return lines.flatMap(([label, text]) => (text ? [`  ${label?.padEnd(9)}${text}`] : [])).join("\n");
}

/** Why scenarios could not be told or played: each reason once, with how many it stopped. */
function untold(report: Report): string {
  const reasons = new Map<string, string[]>();
  for (const { scenario, verdict, reason } of report.scenarios) {
    if (verdict !== "inconclusive" && verdict !== "not-applicable" && verdict !== "harness-error" && verdict !== "not-observed")
      continue;
    const line = `${verdict}: ${reason ?? ""}`;
    reasons.set(line, [...(reasons.get(line) ?? []), scenario]);
  }
  const lines = [...reasons].map(
    ([reason, names]) => `  ${names.length > 1 ? `${names.length} scenarios` : names[0]}: ${reason}`,
  );
  const more = lines.length > MOST_REASONS ? [`  and ${lines.length - MOST_REASONS} reasons more, all in report.json`] : [];
  return [...lines.slice(0, MOST_REASONS), ...more].join("\n");
}

function summary({ verdict, target, profile, seed, requests, paid, waited_s, scenarios, checks }: Report): string {
  const asked = `${scenarios.length} scenarios, ${checks.length} checks, ${requests} requests (${paid} may cost), waited ${Math.round(waited_s)} s, seed ${seed}`;
  return `${verdict}: ${target}, profile ${profile}\n${asked}`;
}
