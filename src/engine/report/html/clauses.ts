import { html, type Markup } from "../../../common/html/markup.js";
import { formatCount } from "../../../common/phrases.js";
import type { ClauseVerdict } from "../../verdict/clauses.js";
import { formatDimensions } from "../dimension-coverage.js";
import type { Outline } from "../outline.js";
import type { Report } from "../report.js";
import { listSections, type Section } from "../summary.js";
import { inlineCode, renderBadge } from "./elements.js";

/** Renders a table of sections and surfaces with the number of passed clauses. */
export function renderClauseTable(report: Report, outline: Outline): Markup {
  const { surfaces } = outline;
  const rows = listSections(report, outline).map(
    ({ number, title, clauses }) =>
      html`<tr><td><a href="#section-${number}">§${number} ${title}</a></td>${surfaces.map(
        (surface) => html`<td>${renderCell(clauses.filter((clause) => clause.surface.includes(surface)))}</td>`,
      )}</tr>`,
  );
  return html`<table class="matrix"><thead><tr><th>Clauses passed</th>${surfaces.map((surface) => html`<th>${surface}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** Renders every clause by section, with its verdict and its checks. */
export function renderClauseSections(report: Report, outline: Outline): Markup[] {
  return listSections(report, outline).map((section) => renderClauseSection(section, outline));
}

function renderClauseSection({ number, title, clauses }: Section, outline: Outline): Markup {
  return html`<section data-group><h3 id="section-${number}">§${number} ${title}</h3>
<table class="clauses"><tbody>${clauses.map((clause) => renderClauseRow(clause, outline))}</tbody></table></section>`;
}

function renderClauseRow(clause: ClauseVerdict, outline: Outline): Markup {
  const { id, verdict, level, surface, subjects, by, reason, unobservable } = clause;
  const coverage = formatDimensions({ dimensions: (clause.dimensions ?? []).filter(({ missing }) => missing.length > 0) });
  return html`
<tr id="${createElementId(clause)}" class="${verdict}" data-verdict="${verdict}" data-surface="${surface.join(" ")}" data-section="${outline.clauses[id]?.section}">
<td>${renderBadge(verdict)}</td>
<td>${verdict === "failed" ? html`<a href="#${id}"><code class="id">${id}</code></a>` : html`<code class="id">${id}</code>`}<span class="tag">${[level, ...surface].join(" · ")}</span><p class="statement">${inlineCode(outline.clauses[id]?.description)}</p>${reason && html`<p class="reason">${reason}</p>`}${coverage && html`<p class="coverage">judged for ${coverage}</p>`}${
    unobservable && html`<p class="coverage">not observable: ${inlineCode(unobservable)}</p>`
  }</td>
<td class="evidence">${renderEvidence(subjects, by)}</td></tr>`;
}

/** Returns the element id of a clause. The finding of a failed clause has the plain id. */
function createElementId({ id, verdict }: ClauseVerdict): string {
  return verdict === "failed" ? `clause:${id}` : id;
}

/** Renders the number of checks of a clause, with a link to the scenario of the first one. */
function renderEvidence(subjects: number, by: readonly string[]): Markup | undefined {
  const [first] = by;
  if (first === undefined) return undefined;
  const judged = subjects === 0 ? "" : `, ${subjects} judged`;
  return html`<a href="#${first.slice(0, first.lastIndexOf("/"))}">${formatCount(by.length, "check")}</a>${judged}`;
}

/** Renders how many of the tested clauses passed, in the colour of the worst verdict. */
function renderCell(clauses: readonly ClauseVerdict[]): Markup | undefined {
  const tested = clauses.filter(({ verdict }) => verdict !== "not-applicable" && verdict !== "informational");
  if (tested.length === 0) return clauses.length > 0 ? html`<small>${clauses.length} not tested</small>` : undefined;
  const passedCount = tested.filter(({ verdict }) => verdict === "passed").length;
  const isBroken = tested.some(({ verdict }) => verdict === "failed" || verdict === "stale-waiver");
  const state = passedCount === tested.length ? "passed" : isBroken ? "failed" : "inconclusive";
  return html`<b class="${state}">${passedCount}</b><small> / ${tested.length}</small>`;
}
