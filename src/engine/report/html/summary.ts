import { html, type Markup } from "../../../common/html/markup.js";
import { counted } from "../../../common/phrases.js";
import { causesSummary, type ReportedCause } from "../causes.js";
import type { Outline } from "../outline.js";
import type { Report } from "../report.js";
import { blockedScenarios, columnsOf, reasonGroups } from "../summary.js";
import { clauseTable } from "./clauses.js";
import { bar } from "./elements.js";

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
  const max = Math.max(...causes.map(weight));
  return html`<ol class="causes">${causes.map(
    (cause) => html`<li><a href="#${cause.id}">${cause.title}</a>
${amountBar(cause, max)}
<span class="counts">${counted(cause.checks.length, "failed check")}, ${counted(cause.clauses.length, "clause")}${cause.unjudged.length > 0 && html`, ${cause.unjudged.length} not judged`}</span></li>`,
  )}</ol>`;
}

/** Renders the failed and the unjudged checks of a cause as a bar, whose whole length are the checks of the largest cause. */
function amountBar({ checks, unjudged }: ReportedCause, max: number): Markup {
  const [failed, open] = [checks, unjudged].map(({ length }) => (100 * length) / max) as [number, number];
  return bar("amount", [
    { start: 0, length: failed, verdict: "failed" },
    ...(open > 0 ? [{ start: failed, length: open, verdict: "inconclusive" } as const] : []),
  ]);
}

/** Renders how many scenarios were not judged, with a link to the reasons. */
function notJudged(report: Report): Markup | undefined {
  const blockedCount = blockedScenarios(report).size;
  const others = reasonGroups(report).reduce((sum, { scenarios }) => sum + scenarios.length, 0);
  if (blockedCount + others === 0) return undefined;
  return html`<p class="not-judged">${blockedCount > 0 && html`${counted(blockedCount, "scenario")} could not be judged because of the causes above. `}${
    others > 0 && html`<a href="#not-judged">${counted(others, "scenario")} could not be judged for other reasons.</a>`
  }</p>`;
}

/** Renders the number of clauses for each verdict as a bar. */
function verdictBar(report: Report): Markup {
  const parts = columnsOf(report).filter((verdict) => report.counts[verdict]);
  const counts = parts.map((verdict) => report.counts[verdict] ?? 0);
  const sum = (list: readonly number[]) => list.reduce((total, count) => total + count, 0);
  const share = (list: readonly number[]) => (100 * sum(list)) / sum(counts);
  return html`${bar(
    "share",
    parts.map((verdict, index) => ({
      ...{ verdict, title: `${counts[index]} ${verdict}` },
      ...{ start: share(counts.slice(0, index)), length: share(counts.slice(index, index + 1)) },
    })),
  )}
<p class="shares">${parts.map((verdict) => html`<span class="${verdict}"><b>${report.counts[verdict]}</b> ${verdict}</span> `)}</p>`;
}
