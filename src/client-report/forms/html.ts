import { html, type Markup } from "../../common/html/markup.js";
import { renderPage } from "../../common/html/page.js";
import { contract } from "../../contract/load.js";
import type { ClientFinding, ClientReport } from "../report.js";
import { formatClauseCounts, formatLocation, listCoverage } from "./text.js";

/** Writes a client's report as one page without external resources. */
export function formatHtml(report: ClientReport): string {
  const { findings, requests } = report;
  const title = formatTitle(report);
  const body = html`<header class="top ${chooseTone(report)}">
<p class="brand">Counterpart · client report</p>
<h1>${title}</h1>
<p class="lead">${requests} requests; ${formatClauseCounts(report)}.</p>
</header>
<main>
${findings.length > 0 && html`<h2>Findings</h2>${findings.map(formatFinding)}`}
<h2>Clauses about clients</h2>
${formatClauses(report)}
<h2>Coverage</h2>
<p>Surfaces: ${report.coverage.surfaces.join(", ") || "none"}.</p>
${listCoverage(report.coverage).map(
  ([name, { covered, uncovered }]) =>
    html`<h3>${name[0]?.toUpperCase()}${name.slice(1)}: ${covered.length} of ${covered.length + uncovered.length}</h3>
<p>${uncovered.length === 0 ? "All of them." : uncovered.map((one) => html`<code>${one}</code> `)}</p>`,
)}
</main>`;
  return renderPage({ title: `${title}: client report`, body });
}

/** Returns the verdict as a heading. */
function formatTitle({ verdict, findings, requests }: ClientReport): string {
  if (verdict === "findings") return `${findings.length} ${findings.length === 1 ? "finding" : "findings"}`;
  if (verdict === "clean") return "Clean";
  return requests === 0 ? "Inconclusive: no request came" : "Inconclusive: no clause was judged";
}

function chooseTone({ verdict, findings }: Pick<ClientReport, "verdict" | "findings">): string {
  if (verdict !== "findings") return verdict === "clean" ? "passed" : "warned";
  return findings.some(({ severity }) => severity === "forbidden") ? "failed" : "warned";
}

function formatFinding(finding: ClientFinding): Markup {
  const { id, severity, clauses, message, count, examples } = finding;
  return html`<article class="finding ${chooseTone({ verdict: "findings", findings: [finding] })}">
<h4><span class="badge">${severity}</span> ${id} <span class="tag">${count}×, ${clauses.join(", ")}</span></h4>
<p>${formatProse(message)}</p>
<ul>${examples.map((example) => html`<li>${formatLocation(example)}<code>${example.request}</code> ${example.why}</li>`)}</ul>
</article>`;
}

function formatClauses({ clauses }: ClientReport): Markup {
  const rows = clauses.map(
    ({ id, verdict }) =>
      html`<tr><td><span class="badge ${verdict}">${verdict}</span></td><td><span class="id">${id}</span> ${formatProse(contract.clauses[id].description)}</td></tr>`,
  );
  return html`<table><tbody>${rows}</tbody></table>`;
}

/** Writes the text between backticks as code. */
function formatProse(sentence: string): Markup[] {
  return sentence.split("`").map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
