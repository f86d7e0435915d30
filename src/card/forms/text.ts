import type { ClientReport, Meetings } from "../report.js";

/** How much of a long list is told; the other forms have all of it. */
const mostListed = 12;

/** A client's report for a person at a terminal. */
export function textForm(report: ClientReport): string {
  const { verdict, requests, remarks, met } = report;
  const failed = report.clauses.filter((clause) => clause.verdict === "failed");
  const lines = [
    `${verdict === "polite" ? "POLITE" : `${remarks.length} ${remarks.length === 1 ? "REMARK" : "REMARKS"}`}: ${requests} requests, ${clauseCounts(report)}`,
    ...remarks.flatMap(({ id, severity, clauses, says, count, examples }) => [
      "",
      `${severity === "forbidden" ? "FORBIDDEN" : "discouraged"}  ${id}, ${count}x  (${clauses.join(", ")})`,
      `  ${says}`,
      ...examples.map(({ entry, request, why }) => `  - ${entry === null ? "" : `call ${entry}: `}${request}: ${why}`),
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
