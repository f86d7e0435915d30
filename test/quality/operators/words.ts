import { formatMutantOutcomes } from "../../../src/engine/report/quality.js";
import type { MutantOutcomes } from "../../../src/engine/report/suite-identity.js";
import { table } from "../table.js";
import type { OperatorQuality } from "./survivors.js";

/** Returns the results of the operator mutants as Markdown. */
export function operatorsReport(quality: OperatorQuality): string {
  const { counts, unexplained, stale, plan } = quality;
  return [
    "## Operator mutants",
    plan,
    table(
      ["", ""],
      [...Object.entries(counts).map(([what, count]) => [what, String(count)]), ["killed by a verdict", getRate(quality)]],
    ),
    table(
      ["file and line", "not found, without a reason", "end"],
      unexplained.map(({ file, line, name, end, by }) => [`${file}:${line}`, name, by ? `${end}: ${by}` : end]),
    ),
    ...(stale.length > 0 ? [`Explanations that explain nothing:\n\n${stale.map((words) => `- ${words}`).join("\n")}`] : []),
  ].join("\n\n");
}

/** Returns their results in a line. */
export function operatorsLine(quality: OperatorQuality): string {
  const { examined, equivalent, open, outside, unexplained } = quality.counts;
  const explained = equivalent + open + outside;
  return `${examined} operator mutants: ${formatMutantOutcomes(getEnds(quality))}; ${explained} explained, ${unexplained} unexplained; ${quality.stale.length} explanations are stale; ${Math.round(quality.seconds)} s.`;
}

/** Returns the ends of the operator mutants, each with its number. */
export function getEnds({ counts: { killed, timeout, crash, inconclusive } }: OperatorQuality): MutantOutcomes {
  return { killed_by_verdict: killed, timeout, crash, inconclusive };
}

function getRate(quality: OperatorQuality): string {
  return `${((100 * quality.counts.killed) / Math.max(1, quality.counts.examined)).toFixed(1)} %`;
}
