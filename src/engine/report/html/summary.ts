import { html, type Markup } from "../../../common/html/markup.js";
import { type CauseView, counted, firstThing } from "../causes.js";
import type { Outline } from "../outline.js";
import type { Report } from "../report.js";
import { columnsOf, explainedScenarios, reasonGroups } from "../summary.js";
import { matrix } from "./clauses.js";

/** The first page: the causes by weight with what to mend first, what could not be told, and how the clauses share out. */
export function summarySection(report: Report, outline: Outline, causes: readonly CauseView[]): Markup {
  return html`<section class="summary">
${share(report)}
${causes.length > 0 && html`<h2>What to mend</h2><p class="first">${firstThing(causes)}</p>${causeList(causes)}`}
${untold(report)}
<h2>Clauses by section</h2>
<div class="wide">${matrix(report, outline)}</div>
</section>`;
}

function causeList(causes: readonly CauseView[]): Markup {
  const weight = ({ checks, unjudged }: CauseView) => checks.length + unjudged.length;
  const most = Math.max(...causes.map(weight));
  return html`<ol class="causes">${causes.map(
    (cause) => html`<li><a href="#${cause.id}">${cause.title}</a>
<span class="amount"><i class="failed" style="width:${((100 * cause.checks.length) / most).toFixed(1)}%"></i><i class="inconclusive" style="width:${((100 * cause.unjudged.length) / most).toFixed(1)}%"></i></span>
<span class="counts">${counted(cause.checks.length, "failed check")}, ${counted(cause.clauses.length, "clause")}${cause.unjudged.length > 0 && html`, ${cause.unjudged.length} not judged`}</span></li>`,
  )}</ol>`;
}

/** How much could not be told, and where that is said. */
function untold(report: Report): Markup | undefined {
  const behind = explainedScenarios(report).size;
  const others = reasonGroups(report).reduce((sum, { scenarios }) => sum + scenarios.length, 0);
  if (behind + others === 0) return undefined;
  return html`<p class="untold">${behind > 0 && html`${counted(behind, "scenario")} could not be judged for the causes above. `}${
    others > 0 && html`<a href="#untold">${counted(others, "scenario")} could not be judged for other reasons.</a>`
  }</p>`;
}

/** How the clauses share out among the verdicts. */
function share(report: Report): Markup {
  const parts = columnsOf(report).filter((verdict) => report.counts[verdict]);
  return html`<div class="share">${parts.map((verdict) => {
    const count = report.counts[verdict] ?? 0;
    return html`<span class="${verdict}" style="flex:${count}" title="${count} ${verdict}"></span>`;
  })}</div>
<p class="shares">${parts.map((verdict) => html`<span class="${verdict}"><b>${report.counts[verdict]}</b> ${verdict}</span> `)}</p>`;
}
