import type { ClientReport, CoverageList, FindingExample } from "../report.js";

/** The text form shows this many names of a list. The other forms show all. */
const maxListedRows = 12;

/** Writes a client's report for a terminal. */
export function formatText(report: ClientReport): string {
  const { requests, findings, coverage } = report;
  const failedClauses = report.clauses.filter((clause) => clause.verdict === "failed");
  const lines = [
    `${formatTitle(report)}: ${requests} requests, ${formatClauseCounts(report)}`,
    ...findings.flatMap(({ id, severity, clauses, message, count, examples }) => [
      "",
      `${severity === "forbidden" ? "FORBIDDEN" : "discouraged"}  ${id}, ${count}x  (${clauses.join(", ") || "no clause"})`,
      `  ${message}`,
      ...examples.map((example) => `  - ${formatLocation(example)}${example.request}: ${example.why}`),
    ]),
    ...(failedClauses.length > 0 ? ["", `Clauses broken: ${failedClauses.map(({ id }) => id).join(", ")}`] : []),
    "",
    "Coverage:",
    `  surfaces       ${coverage.surfaces.join(", ") || "none"}`,
    ...listCoverage(coverage).map(
      ([name, { covered, uncovered }]) =>
        `  ${name.padEnd(13)}  ${covered.length} of ${covered.length + uncovered.length}${formatList(uncovered)}`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns the world and the journal number of a call. */
export function formatLocation({ world, entry }: FindingExample): string {
  const parts = [...(world === null ? [] : [`world ${world}`]), ...(entry === null ? [] : [`call ${entry}`])];
  return parts.length === 0 ? "" : `${parts.join(", ")}: `;
}

/** Returns the verdict as the first words of the report. */
function formatTitle({ verdict, findings, requests }: ClientReport): string {
  if (verdict === "findings") return `${findings.length} ${findings.length === 1 ? "FINDING" : "FINDINGS"}`;
  if (verdict === "clean") return "CLEAN";
  return requests === 0 ? "INCONCLUSIVE, no request came" : "INCONCLUSIVE, no clause was judged";
}

/** Counts the clauses about clients by verdict. */
export function formatClauseCounts({ clauses }: ClientReport): string {
  const count = (verdict: string) => clauses.filter((clause) => clause.verdict === verdict).length;
  return `clauses: ${count("passed")} passed, ${count("failed")} failed, ${count("warned")} warned, ${count("not-observed")} not observed`;
}

/** Returns the lists of the coverage with their titles. */
export function listCoverage({
  error_codes,
  transitions,
  second_pages,
  routes,
  tools,
}: ClientReport["coverage"]): [string, CoverageList][] {
  return [
    ["error codes", error_codes],
    ["transitions", transitions],
    ["second pages", second_pages],
    ["routes", routes],
    ["tools", tools],
  ];
}

function formatList(uncovered: readonly string[]): string {
  if (uncovered.length === 0) return "";
  const more = uncovered.length - maxListedRows;
  return `; not covered: ${uncovered.slice(0, maxListedRows).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
