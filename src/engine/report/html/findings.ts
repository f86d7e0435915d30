import { html, type Markup } from "../../../common/html/markup.js";
import type { Check } from "../../execute/check.js";
import { formatImpact, type ReportedCause } from "../causes.js";
import type { Outline } from "../outline.js";
import type { Report } from "../report.js";
import { describeClausePlace, replayCommand } from "../summary.js";
import { inlineCode, renderBlock } from "./elements.js";
import { renderCheckExchange } from "./exchange.js";

/** The values that all cards of a page share. */
interface CardContext {
  report: Report;
  outline: Outline;
  /** Clauses and checks whose element id is already on the page. A check that has two causes has two cards. */
  addressed: Set<string>;
}

/** The maximum number of cards of a cause. Other findings are listed by name. */
const MAX_CARDS = 9;

/** Renders one card for each cause: its size, its clearest finding with its exchange, and the others in a collapsed list. */
export function renderCauses(report: Report, outline: Outline, causes: readonly ReportedCause[]): Markup[] {
  const context: CardContext = { report, outline, addressed: new Set() };
  return causes.map((cause, index) => renderCause(context, cause, index + 1));
}

function renderCause(context: CardContext, cause: ReportedCause, number: number): Markup {
  const { id, title, checks, contrasts } = cause;
  const [first, ...others] = checks;
  const listedChecks = others.slice(MAX_CARDS).filter((check) => !context.addressed.has(check.id));
  return html`
<section class="cause" id="${id}" data-group>
<h3><span class="number">${number}</span> ${title}</h3>
<p class="weight">${formatImpact(cause)}.</p>
${contrasts.length > 0 && html`<ul class="contrasts">${contrasts.map((sentence) => html`<li>${sentence}</li>`)}</ul>`}
${first && renderFinding(context, cause, first, true)}
${
  others.length > 0 &&
  html`<details class="others"><summary>${others.length === 1 ? "1 more finding" : `${others.length} more findings`} with this cause</summary>${others.slice(0, MAX_CARDS).map((check) => renderFinding(context, cause, check, false))}${
    listedChecks.length > 0 && html`<ul>${listedChecks.map((check) => html`<li>${renderAnchor(context, check)}</li>`)}</ul>`
  }</details>`
}
</section>`;
}

/** Renders a finding. It gets the element id of its check, and of each of its clauses that has no element yet. */
function renderFinding({ report, outline, addressed }: CardContext, cause: ReportedCause, check: Check, isFull: boolean): Markup {
  const { id, clauses, expected, actual, file, line, curl, replay } = check;
  const ownClauses = clauses.filter((clause) => !addressed.has(clause));
  const isFirst = !addressed.has(id);
  for (const name of [...ownClauses, id]) addressed.add(name);
  return html`
<article class="finding failed" ${isFirst && html`id="${id}" `}tabindex="-1" data-verdict="failed" data-cause="${cause.id}" ${renderFilterAttributes(clauses, outline)}>
${ownClauses.map((clause) => html`<span id="${clause}"></span>`)}
<h4>${clauses.map((clause) => html`<a href="#${clause}">${clause}</a> `)}<span class="tag">${id}</span></h4>
${clauses.map((clause) => html`<p class="statement">${inlineCode(outline.clauses[clause]?.description)} <span class="place">${describeClausePlace(clause, outline)}</span></p>`)}
<div class="against">${renderBlock("Expected", expected)}${renderBlock("Actual", actual, "actual")}</div>
${isFull && html`${renderCheckExchange(check)}${renderBlock("The request as a curl command", curl)}`}
${renderBlock("Replay", replayCommand(report, check), "play")}
${replay === undefined && html`<p class="label">at <code>${file}:${line}</code></p>`}
</article>`;
}

/** Renders the name of a finding without a card. It gets the element id of its check, and of each of its clauses that has no element yet. */
function renderAnchor({ addressed }: CardContext, { id, clauses }: Check): Markup {
  const ownClauses = clauses.filter((clause) => !addressed.has(clause));
  for (const name of [...ownClauses, id]) addressed.add(name);
  return html`${ownClauses.map((clause) => html`<span id="${clause}"></span>`)}<code id="${id}">${id}</code>`;
}

/** Returns the data attributes by which the page filters: the surfaces and sections of clauses. */
export function renderFilterAttributes(clauses: readonly string[], outline: Outline): Markup {
  const surfaces = [...new Set(clauses.flatMap((clause) => outline.clauses[clause]?.surface ?? []))];
  const sections = [...new Set(clauses.flatMap((clause) => outline.clauses[clause]?.section ?? []))];
  return html`data-surface="${surfaces.join(" ")}" data-section="${sections.join(" ")}"`;
}
