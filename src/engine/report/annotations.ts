import type { Check } from "../execute/check.js";
import { exchangeLines } from "./exchange-text.js";
import type { Outline } from "./outline.js";
import type { Report } from "./report.js";
import {
  effort,
  findings,
  headline,
  placeOfClause,
  reasonGroups,
  replayCommand,
  staleWaivers,
  waiverEffects,
} from "./summary.js";

/** A report as GitHub workflow commands: an error for each finding, a warning for each reason why something was not judged, and the verdict. */
export function annotations(report: Report, outline: Outline): string {
  const lines = [
    ...findings(report).map((check) => command("error", finding(report, check, outline), place(check))),
    ...staleWaivers(report).map(({ clause, ticket }) =>
      command("error", `${clause} passes: take away its waiver (${ticket})`, { title: "stale waiver" }),
    ),
    ...waiverEffects(report).map(({ clause, effect, ticket }) =>
      command("notice", `${clause} (${ticket}): ${effect}`, { title: "waiver" }),
    ),
    ...reasonGroups(report)
      .filter(({ verdict }) => verdict !== "not-applicable")
      .map(({ verdict, reason, scenarios }) => command("warning", `${reason}\n${scenarios.join(", ")}`, { title: verdict })),
    command("notice", `${report.outcome.sentence}\n${effort(report)}`, { title: headline(report) }),
  ];
  return `${lines.join("\n")}\n`;
}

function place({ clauses, id, file, line }: Check): Record<string, string> {
  return { file, line: String(line), title: clauses.join(", ") || id };
}

function finding(report: Report, check: Check, outline: Outline): string {
  return [
    `${check.id}`,
    `expected ${check.expected}`,
    `actual ${check.actual}`,
    ...check.clauses.map((id) => `${id}, ${placeOfClause(id, outline)}: ${outline.clauses[id]?.says ?? ""}`),
    ...exchangeLines(check).map(([label, text]) => `${label.padEnd(8)}${text}`),
    ...(check.curl === undefined ? [] : [check.curl]),
    replayCommand(report, check),
  ].join("\n");
}

/** One command; what would end a property or the line is percent-encoded, as GitHub asks. */
function command(name: "error" | "warning" | "notice", message: string, properties: Record<string, string>): string {
  const pairs = Object.entries(properties).map(([key, value]) => `${key}=${inProperty(value)}`);
  return `::${name} ${pairs.join(",")}::${inMessage(message)}`;
}

function inMessage(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function inProperty(text: string): string {
  return inMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
