import { formatText } from "../client-report/forms/text.js";
import { escapeValue } from "../common/escape/visible.js";
import type { ProxyReport } from "./proxy.js";

/** Writes the report of a proxy for a terminal: first the server, then the client. */
export function formatProxyReport(report: ProxyReport): string {
  const { upstream, server, client } = escapeValue(report);
  const { verdict, answers: responses, unanswered, violations, passed } = server;
  const lines = [
    `SERVER ${upstream}: ${verdict.replaceAll("-", " ").toUpperCase()}, ${responses} answers judged by the rules that need no state${unanswered > 0 ? `, ${unanswered} requests without one` : ""}`,
    ...violations.flatMap(({ clause, count, examples }) => [
      `  ${clause}, ${count}x`,
      ...examples.map(({ entry, request, why }) => `  - request ${entry}: ${request}: ${why}`),
    ]),
    `  passed: ${
      Object.entries(passed)
        .map(([clause, count]) => `${clause} ${count}x`)
        .join(", ") || "nothing"
    }`,
    "",
    `CLIENT ${formatText(client)}`,
  ];
  return lines.join("\n");
}
