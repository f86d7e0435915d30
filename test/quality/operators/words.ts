import { table } from "../table.js";
import type { OperatorQuality } from "./survivors.js";

/** What became of the operator mutants, as Markdown. */
export function operatorsInWords(quality: OperatorQuality): string {
  const { counts, unexplained, stale, plan } = quality;
  return [
    "## Operator mutants",
    plan,
    table(["", ""], [...Object.entries(counts).map(([what, count]) => [what, String(count)]), ["raw rate", rateOf(quality)]]),
    table(
      ["file and line", "not found, and nobody says why", "end"],
      unexplained.map(({ file, line, name, end, by }) => [`${file}:${line}`, name, by ? `${end}: ${by}` : end]),
    ),
    ...(stale.length > 0 ? [`Explanations that explain nothing:\n\n${stale.map((words) => `- ${words}`).join("\n")}`] : []),
  ].join("\n\n");
}

/** What became of them, in a line. */
export function operatorsInShort(quality: OperatorQuality): string {
  const { examined, equivalent, open, outside, unexplained } = quality.counts;
  const explained = equivalent + open + outside;
  return `${examined} operator mutants: ${foundOf(quality)} found (${rateOf(quality)}), ${explained} explained, ${unexplained} unexplained; ${quality.stale.length} explanations are stale; ${Math.round(quality.seconds)} s.`;
}

/** How many the suite found: by a clause, or because nothing answered any more. */
export function foundOf({ counts }: OperatorQuality): number {
  return counts.killed + counts.timeout + counts.crash;
}

function rateOf(quality: OperatorQuality): string {
  return `${((100 * foundOf(quality)) / Math.max(1, quality.counts.examined)).toFixed(1)} %`;
}
