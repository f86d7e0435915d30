import { html, type Markup } from "../../../common/html/markup.js";
import type { ClauseVerdict } from "../../verdict/clauses.js";
import type { Outline } from "../outline.js";
import { reachText } from "../reach.js";
import type { Report } from "../report.js";
import { type Section, sectionsOf } from "../summary.js";
import { badge, prose } from "./pieces.js";

/** How the clauses of each section fared on each surface. */
export function matrix(report: Report, outline: Outline): Markup {
  const { surfaces } = outline;
  const rows = sectionsOf(report, outline).map(
    ({ number, title, clauses }) =>
      html`<tr><td><a href="#section-${number}">§${number} ${title}</a></td>${surfaces.map(
        (surface) => html`<td>${cell(clauses.filter((clause) => clause.surface.includes(surface)))}</td>`,
      )}</tr>`,
  );
  return html`<table class="matrix"><thead><tr><th>Clauses passed</th>${surfaces.map((surface) => html`<th>${surface}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** Every clause of the report, by section, with what proves its verdict. */
export function clauseSections(report: Report, outline: Outline): Markup[] {
  return sectionsOf(report, outline).map((section) => clauseSection(section, outline));
}

function clauseSection({ number, title, clauses }: Section, outline: Outline): Markup {
  return html`<section data-group><h3 id="section-${number}">§${number} ${title}</h3>
<table class="clauses"><tbody>${clauses.map((clause) => clauseRow(clause, outline))}</tbody></table></section>`;
}

function clauseRow(clause: ClauseVerdict, outline: Outline): Markup {
  const { id, verdict, level, surface, subjects, by, reason, not_seen: notSeen } = clause;
  const reach = reachText(clause);
  return html`
<tr id="${addressOf(clause)}" class="${verdict}" data-verdict="${verdict}" data-surface="${surface.join(" ")}" data-section="${outline.clauses[id]?.section}">
<td>${badge(verdict)}</td>
<td>${verdict === "failed" ? html`<a href="#${id}"><code class="id">${id}</code></a>` : html`<code class="id">${id}</code>`}<span class="tag">${[level, ...surface].join(" · ")}</span><p class="says">${prose(outline.clauses[id]?.says)}</p>${reason && html`<p class="reason">${reason}</p>`}${reach && html`<p class="reach">${verdict}, ${reach}</p>`}${
    notSeen && html`<p class="reach">not seen: ${prose(notSeen)}</p>`
  }</td>
<td class="evidence">${evidence(subjects, by)}</td></tr>`;
}

/** That of a clause that failed is the address of its finding. */
function addressOf({ id, verdict }: ClauseVerdict): string {
  return verdict === "failed" ? `clause:${id}` : id;
}

function evidence(subjects: number, by: readonly string[]): Markup | undefined {
  if (by.length === 0) return undefined;
  const judged = subjects === 0 ? "" : `, ${subjects} judged`;
  return html`<details><summary>${by.length === 1 ? "1 check" : `${by.length} checks`}${judged}</summary>
<ul>${by.map((id) => html`<li><a href="#${id}">${id}</a></li>`)}</ul></details>`;
}

/** Of the clauses that a server was asked about, how many passed; worst colour wins. */
function cell(clauses: readonly ClauseVerdict[]): Markup | undefined {
  const asked = clauses.filter(({ verdict }) => verdict !== "not-applicable" && verdict !== "informational");
  if (asked.length === 0) return clauses.length > 0 ? html`<small>${clauses.length} not asked</small>` : undefined;
  const passed = asked.filter(({ verdict }) => verdict === "passed").length;
  const broken = asked.some(({ verdict }) => verdict === "failed" || verdict === "stale-waiver");
  const tone = passed === asked.length ? "passed" : broken ? "failed" : "inconclusive";
  return html`<b class="${tone}">${passed}</b><small> / ${asked.length}</small>`;
}
