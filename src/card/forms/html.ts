import { looks } from "../../common/html/looks.js";
import { html, type Markup, verbatim } from "../../common/html/markup.js";
import { contract } from "../../contract/load.js";
import type { ClientReport, Remark } from "../report.js";
import { clauseCounts, meetings } from "./text.js";

/** A client's report as one page that loads nothing. */
export function htmlForm(report: ClientReport): string {
  const { verdict, remarks, requests } = report;
  const title = verdict === "polite" ? "Polite" : `${remarks.length} ${remarks.length === 1 ? "remark" : "remarks"}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${title}: the client's report card</title>
<link rel="icon" href="data:,">
<style>${verbatim(looks)}</style>
</head>
<body>
<header class="top ${verdict === "polite" ? "passed" : toneOf(remarks)}">
<p class="brand">Counterpart · report card of a client</p>
<h1>${title}</h1>
<p class="lead">${requests} requests; ${clauseCounts(report)}.</p>
</header>
<main>
${remarks.length > 0 && html`<h2>Remarks</h2>${remarks.map(remarkCard)}`}
<h2>What the contract says of clients</h2>
${clauseTable(report)}
<h2>What was never met</h2>
<p>Surfaces met: ${report.met.surfaces.join(", ") || "none"}.</p>
${meetings(report.met).map(
  ([name, { met, unmet }]) =>
    html`<h3>${name[0]?.toUpperCase()}${name.slice(1)}: ${met.length} of ${met.length + unmet.length}</h3>
<p>${unmet.length === 0 ? "All of them." : unmet.map((one) => html`<code>${one}</code> `)}</p>`,
)}
</main>
</body>
</html>
`.markup;
}

function toneOf(remarks: readonly Remark[]): string {
  return remarks.some(({ severity }) => severity === "forbidden") ? "failed" : "warned";
}

function remarkCard(remark: Remark): Markup {
  const { id, severity, clauses, says, count, examples } = remark;
  return html`<article class="finding ${toneOf([remark])}">
<h4><span class="badge">${severity}</span> ${id} <span class="tag">${count}×, ${clauses.join(", ")}</span></h4>
<p>${prose(says)}</p>
<ul>${examples.map(({ entry, request, why }) => html`<li>${entry !== null && `call ${entry}: `}<code>${request}</code> ${why}</li>`)}</ul>
</article>`;
}

function clauseTable({ clauses }: ClientReport): Markup {
  const rows = clauses.map(
    ({ id, verdict }) =>
      html`<tr><td><span class="badge ${verdict}">${verdict}</span></td><td><span class="id">${id}</span> ${prose(contract.clauses[id].says)}</td></tr>`,
  );
  return html`<table><tbody>${rows}</tbody></table>`;
}

/** What stands between backticks is code. */
function prose(sentence: string): Markup[] {
  return sentence.split("`").map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
