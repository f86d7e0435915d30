import { formatAnnotation } from "../../common/escape/annotation.js";
import { formatCount } from "../../common/phrases.js";
import { formatImpact, listCauses, type ReportedCause } from "./causes.js";
import { formatExchange } from "./exchange-text.js";
import type { Outline } from "./outline.js";
import type { Report } from "./report.js";
import {
  describeClausePlace,
  formatHeadline,
  groupReasons,
  listStaleWaivers,
  listWaiverEffects,
  replayCommand,
  runSummary,
} from "./summary.js";

/** GitHub shows ten annotations of each level for one step of a workflow. */
const MAX_ANNOTATIONS_PER_LEVEL = 10;

/**
 * Formats a report as GitHub workflow commands: an error for each cause of findings, a warning for each reason of unjudged scenarios, and the verdict. At
 * most ten of each level, the most important first.
 */
export function formatAnnotations(report: Report, outline: Outline): string {
  const causes = listCauses(report, outline);
  const errors = [
    ...causes.map((cause) => annotateCause(report, cause, outline)),
    ...listStaleWaivers(report).map(({ clause, ticket }) =>
      formatAnnotation("error", `${clause} passes: remove its waiver (${ticket})`, { title: "stale waiver" }),
    ),
  ];
  const warnings = groupReasons(report)
    .filter(({ verdict }) => verdict !== "not-applicable")
    .map(({ verdict, reason, scenarios }) =>
      formatAnnotation("warning", `${reason}\n${scenarios.join(", ")}`, { title: verdict }),
    );
  const waivers = listWaiverEffects(report).map(({ clause, effect, ticket }) =>
    formatAnnotation("notice", `${clause} (${ticket}): ${effect}`, { title: "waiver" }),
  );
  const rest = errors.length - MAX_ANNOTATIONS_PER_LEVEL;
  const more = rest > 0 ? [`${formatCount(rest, "more error")} in report.json`] : [];
  const verdict = [report.outcome.sentence, ...more, runSummary(report)].join("\n");
  const lines = [
    ...errors.slice(0, MAX_ANNOTATIONS_PER_LEVEL),
    ...warnings.slice(0, MAX_ANNOTATIONS_PER_LEVEL),
    formatAnnotation("notice", verdict, { title: formatHeadline(report) }),
    ...waivers.slice(0, MAX_ANNOTATIONS_PER_LEVEL - 1),
  ];
  return `${lines.join("\n")}\n`;
}

/** Formats a cause with its clearest check. */
function annotateCause(report: Report, { title, checks, clauses, unjudged }: ReportedCause, outline: Outline): string {
  const [check] = checks;
  if (!check) return formatAnnotation("error", title, { title: clauses.join(", ") });
  const { id, file, line, expected, actual, curl } = check;
  const message = [
    title,
    formatImpact({ checks, clauses, unjudged }),
    `${id}`,
    `expected ${expected}`,
    `actual ${actual}`,
    ...check.clauses.map(
      (clause) => `${clause}, ${describeClausePlace(clause, outline)}: ${outline.clauses[clause]?.description ?? ""}`,
    ),
    ...formatExchange(check).map(([label, text]) => `${label.padEnd(9)}${text}`),
    ...(curl === undefined ? [] : [curl]),
    replayCommand(report, check),
  ].join("\n");
  return formatAnnotation("error", message, { file, line: String(line), title: clauses.join(", ") || id });
}
