import { annotation } from "../../common/escape/annotation.js";
import type { Check } from "../execute/check.js";
import { exchangeLines } from "./exchange-text.js";
import type { Outline } from "./outline.js";
import type { Report } from "./report.js";
import {
  findings,
  headline,
  placeOfClause,
  reasonGroups,
  replayCommand,
  runSummary,
  staleWaivers,
  waiverEffects,
} from "./summary.js";

/** Formats a report as GitHub workflow commands: an error for each finding, a warning for each reason of unjudged scenarios, and the verdict. */
export function annotations(report: Report, outline: Outline): string {
  const lines = [
    ...findings(report).map((check) => annotation("error", finding(report, check, outline), place(check))),
    ...staleWaivers(report).map(({ clause, ticket }) =>
      annotation("error", `${clause} passes: remove its waiver (${ticket})`, { title: "stale waiver" }),
    ),
    ...waiverEffects(report).map(({ clause, effect, ticket }) =>
      annotation("notice", `${clause} (${ticket}): ${effect}`, { title: "waiver" }),
    ),
    ...reasonGroups(report)
      .filter(({ verdict }) => verdict !== "not-applicable")
      .map(({ verdict, reason, scenarios }) => annotation("warning", `${reason}\n${scenarios.join(", ")}`, { title: verdict })),
    annotation("notice", `${report.outcome.sentence}\n${runSummary(report)}`, { title: headline(report) }),
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
    ...check.clauses.map((id) => `${id}, ${placeOfClause(id, outline)}: ${outline.clauses[id]?.description ?? ""}`),
    ...exchangeLines(check).map(([label, text]) => `${label.padEnd(9)}${text}`),
    ...(check.curl === undefined ? [] : [check.curl]),
    replayCommand(report, check),
  ].join("\n");
}
