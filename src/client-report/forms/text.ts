import type { ClientReport, FindingExample, Meetings } from "../report.js";

/** How much of a long list is told; the other forms have all of it. */
const mostListed = 12;

/** A client's report for a person at a terminal. */
export function textForm(report: ClientReport): string {
  const { requests, findings, met } = report;
  const failed = report.clauses.filter((clause) => clause.verdict === "failed");
  const lines = [
    `${titleOf(report)}: ${requests} requests, ${clauseCounts(report)}`,
    ...findings.flatMap(({ id, severity, clauses, says, count, examples }) => [
      "",
      `${severity === "forbidden" ? "FORBIDDEN" : "discouraged"}  ${id}, ${count}x  (${clauses.join(", ") || "no clause"})`,
      `  ${says}`,
      ...examples.map((example) => `  - ${placeOf(example)}${example.request}: ${example.why}`),
    ]),
    ...(failed.length > 0 ? ["", `Clauses broken: ${failed.map(({ id }) => id).join(", ")}`] : []),
    "",
    "Never met:",
    `  surfaces       ${met.surfaces.length === 2 ? "both were met" : `only ${met.surfaces.join() || "none"} was met`}`,
    ...meetings(met).map(
      ([name, { met: seen, unmet }]) => `  ${name.padEnd(13)}  ${seen.length} of ${seen.length + unmet.length} met${list(unmet)}`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns where a call is to be found: its world and its number in the journal. */
export function placeOf({ world, entry }: FindingExample): string {
  const parts = [...(world === null ? [] : [`world ${world}`]), ...(entry === null ? [] : [`call ${entry}`])];
  return parts.length === 0 ? "" : `${parts.join(", ")}: `;
}

/** Returns the verdict as the first words of the report. */
function titleOf({ verdict, findings }: ClientReport): string {
  if (verdict === "findings") return `${findings.length} ${findings.length === 1 ? "FINDING" : "FINDINGS"}`;
  return verdict === "clean" ? "CLEAN" : "INCONCLUSIVE, no request came";
}

/** How many sentences about clients have which verdict. */
export function clauseCounts({ clauses }: ClientReport): string {
  const count = (verdict: string) => clauses.filter((clause) => clause.verdict === verdict).length;
  return `clauses: ${count("passed")} passed, ${count("failed")} failed, ${count("warned")} warned, ${count("not-observed")} not observed`;
}

/** What can be met, by its name. */
export function meetings(met: ClientReport["met"]): [string, Meetings][] {
  const { error_codes, transitions, second_pages, routes, tools } = met;
  return [
    ["error codes", error_codes],
    ["transitions", transitions],
    ["second pages", second_pages],
    ["routes", routes],
    ["tools", tools],
  ];
}

function list(unmet: readonly string[]): string {
  if (unmet.length === 0) return "";
  const more = unmet.length - mostListed;
  return `; not: ${unmet.slice(0, mostListed).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
