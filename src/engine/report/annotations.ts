import { annotation } from "../../common/escape/annotation.js";
import { counted } from "../../common/phrases.js";
import { causesIn, impactText, type ReportedCause } from "./causes.js";
import { exchangeLines } from "./exchange-text.js";
import type { Outline } from "./outline.js";
import type { Report } from "./report.js";
import { headline, placeOfClause, reasonGroups, replayCommand, runSummary, staleWaivers, waiverEffects } from "./summary.js";

/** GitHub shows ten annotations of each level for one step of a workflow. */
const MAX_ANNOTATIONS_PER_LEVEL = 10;

/**
 * Formats a report as GitHub workflow commands: an error for each cause of findings, a warning for each reason of unjudged scenarios, and the verdict. At
 * most ten of each level, the most important first.
 */
export function annotations(report: Report, outline: Outline): string {
  const causes = causesIn(report, outline);
  const errors = [
    ...causes.map((cause) => ofCause(report, cause, outline)),
    ...staleWaivers(report).map(({ clause, ticket }) =>
      annotation("error", `${clause} passes: remove its waiver (${ticket})`, { title: "stale waiver" }),
    ),
  ];
  const warnings = reasonGroups(report)
    .filter(({ verdict }) => verdict !== "not-applicable")
    .map(({ verdict, reason, scenarios }) => annotation("warning", `${reason}\n${scenarios.join(", ")}`, { title: verdict }));
  const waivers = waiverEffects(report).map(({ clause, effect, ticket }) =>
    annotation("notice", `${clause} (${ticket}): ${effect}`, { title: "waiver" }),
  );
  const rest = errors.length - MAX_ANNOTATIONS_PER_LEVEL;
  const more = rest > 0 ? [`${counted(rest, "more error")} in report.json`] : [];
  const verdict = [report.outcome.sentence, ...more, runSummary(report)].join("\n");
  const lines = [
    ...errors.slice(0, MAX_ANNOTATIONS_PER_LEVEL),
    ...warnings.slice(0, MAX_ANNOTATIONS_PER_LEVEL),
    annotation("notice", verdict, { title: headline(report) }),
    ...waivers.slice(0, MAX_ANNOTATIONS_PER_LEVEL - 1),
  ];
  return `${lines.join("\n")}\n`;
}

/** Formats a cause with its clearest check. */
function ofCause(report: Report, { title, checks, clauses, unjudged }: ReportedCause, outline: Outline): string {
  const [check] = checks;
  if (!check) return annotation("error", title, { title: clauses.join(", ") });
  const { id, file, line, expected, actual, curl } = check;
  const message = [
    title,
    impactText({ checks, clauses, unjudged }),
    `${id}`,
    `expected ${expected}`,
    `actual ${actual}`,
    ...check.clauses.map(
      (clause) => `${clause}, ${placeOfClause(clause, outline)}: ${outline.clauses[clause]?.description ?? ""}`,
    ),
    ...exchangeLines(check).map(([label, text]) => `${label.padEnd(9)}${text}`),
    ...(curl === undefined ? [] : [curl]),
    replayCommand(report, check),
  ].join("\n");
  return annotation("error", message, { file, line: String(line), title: clauses.join(", ") || id });
}
