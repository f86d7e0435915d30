import { html, type Markup } from "../../common/html/markup.js";
import { page } from "../../common/html/page.js";
import { contract } from "../../contract/load.js";
import type { ClientFinding, ClientReport } from "../report.js";
import { callLocation, clauseCounts, coverageLists } from "./text.js";

/** Writes a client's report as one page without external resources. */
export function htmlForm(report: ClientReport): string {
  const { findings, requests } = report;
  const title = titleOf(report);
  const body = html`<header class="top ${toneOf(report)}">
<p class="brand">Counterpart · client report</p>
<h1>${title}</h1>
<p class="lead">${requests} requests; ${clauseCounts(report)}.</p>
</header>
<main>
${findings.length > 0 && html`<h2>Findings</h2>${findings.map(findingCard)}`}
<h2>Clauses about clients</h2>
${clauseTable(report)}
<h2>Coverage</h2>
<p>Surfaces: ${report.coverage.surfaces.join(", ") || "none"}.</p>
${coverageLists(report.coverage).map(
  ([name, { covered, uncovered }]) =>
    html`<h3>${name[0]?.toUpperCase()}${name.slice(1)}: ${covered.length} of ${covered.length + uncovered.length}</h3>
<p>${uncovered.length === 0 ? "All of them." : uncovered.map((one) => html`<code>${one}</code> `)}</p>`,
)}
</main>`;
  return page({ title: `${title}: client report`, body });
}

/** Returns the verdict as a heading. */
function titleOf({ verdict, findings, requests }: ClientReport): string {
  if (verdict === "findings") return `${findings.length} ${findings.length === 1 ? "finding" : "findings"}`;
  if (verdict === "clean") return "Clean";
  return requests === 0 ? "Inconclusive: no request came" : "Inconclusive: no clause was judged";
}

function toneOf({ verdict, findings }: Pick<ClientReport, "verdict" | "findings">): string {
  if (verdict !== "findings") return verdict === "clean" ? "passed" : "warned";
  return findings.some(({ severity }) => severity === "forbidden") ? "failed" : "warned";
}

function findingCard(finding: ClientFinding): Markup {
  const { id, severity, clauses, message, count, examples } = finding;
  return html`<article class="finding ${toneOf({ verdict: "findings", findings: [finding] })}">
<h4><span class="badge">${severity}</span> ${id} <span class="tag">${count}×, ${clauses.join(", ")}</span></h4>
<p>${prose(message)}</p>
<ul>${examples.map((example) => html`<li>${callLocation(example)}<code>${example.request}</code> ${example.why}</li>`)}</ul>
</article>`;
}

function clauseTable({ clauses }: ClientReport): Markup {
  const rows = clauses.map(
    ({ id, verdict }) =>
      html`<tr><td><span class="badge ${verdict}">${verdict}</span></td><td><span class="id">${id}</span> ${prose(contract.clauses[id].description)}</td></tr>`,
  );
  return html`<table><tbody>${rows}</tbody></table>`;
}

/** Writes the text between backticks as code. */
function prose(sentence: string): Markup[] {
  return sentence.split("`").map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
