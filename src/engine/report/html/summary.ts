import { html, type Markup } from "../../../common/html/markup.js";
import { counted } from "../../../common/phrases.js";
import { causesSummary, type ReportedCause } from "../causes.js";
import type { Outline } from "../outline.js";
import type { Report } from "../report.js";
import { blockedScenarios, columnsOf, reasonGroups } from "../summary.js";
import { clauseTable } from "./clauses.js";

/** Renders the summary: clauses by verdict, causes with the one to fix first, unjudged scenarios, and the clause table. */
export function summarySection(report: Report, outline: Outline, causes: readonly ReportedCause[]): Markup {
  return html`<section class="summary">
${verdictBar(report)}
${causes.length > 0 && html`<h2>What to fix</h2><p class="first">${causesSummary(causes)}</p>${causeList(causes)}`}
${notJudged(report)}
<h2>Clauses by section</h2>
<div class="wide">${clauseTable(report, outline)}</div>
</section>`;
}

function causeList(causes: readonly ReportedCause[]): Markup {
  const weight = ({ checks, unjudged }: ReportedCause) => checks.length + unjudged.length;
  const most = Math.max(...causes.map(weight));
  return html`<ol class="causes">${causes.map(
    (cause) => html`<li><a href="#${cause.id}">${cause.title}</a>
<span class="amount"><i class="failed" style="width:${((100 * cause.checks.length) / most).toFixed(1)}%"></i><i class="inconclusive" style="width:${((100 * cause.unjudged.length) / most).toFixed(1)}%"></i></span>
<span class="counts">${counted(cause.checks.length, "failed check")}, ${counted(cause.clauses.length, "clause")}${cause.unjudged.length > 0 && html`, ${cause.unjudged.length} not judged`}</span></li>`,
  )}</ol>`;
}

/** Renders how many scenarios were not judged, with a link to the reasons. */
function notJudged(report: Report): Markup | undefined {
  const blocked = blockedScenarios(report).size;
  const others = reasonGroups(report).reduce((sum, { scenarios }) => sum + scenarios.length, 0);
  if (blocked + others === 0) return undefined;
  return html`<p class="not-judged">${blocked > 0 && html`${counted(blocked, "scenario")} could not be judged because of the causes above. `}${
    others > 0 && html`<a href="#not-judged">${counted(others, "scenario")} could not be judged for other reasons.</a>`
  }</p>`;
}

/** Renders the number of clauses for each verdict as a bar. */
function verdictBar(report: Report): Markup {
  const parts = columnsOf(report).filter((verdict) => report.counts[verdict]);
  return html`<div class="share">${parts.map((verdict) => {
    const count = report.counts[verdict] ?? 0;
    return html`<span class="${verdict}" style="flex:${count}" title="${count} ${verdict}"></span>`;
  })}</div>
<p class="shares">${parts.map((verdict) => html`<span class="${verdict}"><b>${report.counts[verdict]}</b> ${verdict}</span> `)}</p>`;
}
