import { html, type Markup } from "../../../common/html/markup.js";
import { formatCount } from "../../../common/phrases.js";
import { type ReportedCause, summarizeCauses } from "../causes.js";
import type { Outline } from "../outline.js";
import type { Report } from "../report.js";
import { groupReasons, listBlockedScenarios, listColumns } from "../summary.js";
import { renderClauseTable } from "./clauses.js";
import { renderBar } from "./elements.js";

/** Renders the summary: clauses by verdict, causes with the one to fix first, unjudged scenarios, and the clause table. */
export function renderSummary(report: Report, outline: Outline, causes: readonly ReportedCause[]): Markup {
  return html`<section class="summary">
${renderVerdictBar(report)}
${causes.length > 0 && html`<h2>What to fix</h2><p class="first">${summarizeCauses(causes)}</p>${renderCauseList(causes)}`}
${renderNotJudged(report)}
<h2>Clauses by section</h2>
<div class="wide">${renderClauseTable(report, outline)}</div>
</section>`;
}

function renderCauseList(causes: readonly ReportedCause[]): Markup {
  const weight = ({ checks, unjudged }: ReportedCause) => checks.length + unjudged.length;
  const max = Math.max(...causes.map(weight));
  return html`<ol class="causes">${causes.map(
    (cause) => html`<li><a href="#${cause.id}">${cause.title}</a>
${renderAmountBar(cause, max)}
<span class="counts">${formatCount(cause.checks.length, "failed check")}, ${formatCount(cause.clauses.length, "clause")}${cause.unjudged.length > 0 && html`, ${cause.unjudged.length} not judged`}</span></li>`,
  )}</ol>`;
}

/** Renders the failed and the unjudged checks of a cause as a bar. The checks of the largest cause have the full length. */
function renderAmountBar({ checks, unjudged }: ReportedCause, max: number): Markup {
  const [failed, open] = [checks, unjudged].map(({ length }) => (100 * length) / max) as [number, number];
  return renderBar("amount", [
    { start: 0, length: failed, verdict: "failed" },
    ...(open > 0 ? [{ start: failed, length: open, verdict: "inconclusive" } as const] : []),
  ]);
}

/** Renders how many scenarios were not judged, with a link to the reasons. */
function renderNotJudged(report: Report): Markup | undefined {
  const blockedCount = listBlockedScenarios(report).size;
  const others = groupReasons(report).reduce((sum, { scenarios }) => sum + scenarios.length, 0);
  if (blockedCount + others === 0) return undefined;
  return html`<p class="not-judged">${blockedCount > 0 && html`${formatCount(blockedCount, "scenario")} could not be judged because of the causes above. `}${
    others > 0 && html`<a href="#not-judged">${formatCount(others, "scenario")} could not be judged for other reasons.</a>`
  }</p>`;
}

/** Renders the number of clauses for each verdict as a bar. */
function renderVerdictBar(report: Report): Markup {
  const parts = listColumns(report).filter((verdict) => report.counts[verdict]);
  const counts = parts.map((verdict) => report.counts[verdict] ?? 0);
  const sum = (list: readonly number[]) => list.reduce((total, count) => total + count, 0);
  const share = (list: readonly number[]) => (100 * sum(list)) / sum(counts);
  return html`${renderBar(
    "share",
    parts.map((verdict, index) => ({
      ...{ verdict, title: `${counts[index]} ${verdict}` },
      ...{ start: share(counts.slice(0, index)), length: share(counts.slice(index, index + 1)) },
    })),
  )}
<p class="shares">${parts.map((verdict) => html`<span class="${verdict}"><b>${report.counts[verdict]}</b> ${verdict}</span> `)}</p>`;
}
