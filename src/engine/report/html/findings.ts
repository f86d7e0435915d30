import { html, type Markup } from "../../../common/html/markup.js";
import type { Check } from "../../execute/check.js";
import { type CauseView, weightText } from "../causes.js";
import type { Outline } from "../outline.js";
import type { Report } from "../report.js";
import { placeOfClause, replayCommand } from "../summary.js";
import { exchangeOf } from "./exchange.js";
import { block, prose } from "./pieces.js";

/** What the cards of a report know in common. */
interface CardContext {
  report: Report;
  outline: Outline;
  /** Clauses that have an address on the page already. */
  placed: Set<string>;
}

/** One card a cause: what hangs on it, its most telling finding in full, the others folded in. */
export function causeCards(report: Report, outline: Outline, causes: readonly CauseView[]): Markup[] {
  const context: CardContext = { report, outline, placed: new Set() };
  return causes.map((cause, index) => causeCard(context, cause, index + 1));
}

function causeCard(context: CardContext, cause: CauseView, number: number): Markup {
  const { id, title, checks, elsewhere } = cause;
  const [first, ...others] = checks;
  return html`
<section class="cause" id="${id}" data-group>
<h3><span class="number">${number}</span> ${title}</h3>
<p class="weight">${weightText(cause)}.</p>
${elsewhere.length > 0 && html`<ul class="elsewhere">${elsewhere.map((sentence) => html`<li>${sentence}</li>`)}</ul>`}
${first && findingCard(context, cause, first, true)}
${
  others.length > 0 &&
  html`<details class="others"><summary>${others.length === 1 ? "1 finding more" : `${others.length} findings more`} of this cause</summary>${others.map((check) => findingCard(context, cause, check, false))}</details>`
}
</section>`;
}

/** A finding has the address of its check, and of each clause that no finding before it breaks. */
function findingCard({ report, outline, placed }: CardContext, cause: CauseView, check: Check, full: boolean): Markup {
  const { id, clauses, expected, actual, file, line, curl, replay } = check;
  const own = clauses.filter((clause) => !placed.has(clause));
  for (const clause of own) placed.add(clause);
  return html`
<article class="finding failed" id="${id}" tabindex="-1" data-verdict="failed" data-cause="${cause.id}" ${marks(clauses, outline)}>
${own.map((clause) => html`<span id="${clause}"></span>`)}
<h4>${clauses.map((clause) => html`<a href="#${clause}">${clause}</a> `)}<span class="tag">${id}</span></h4>
${clauses.map((clause) => html`<p class="says">${prose(outline.clauses[clause]?.says)} <span class="place">${placeOfClause(clause, outline)}</span></p>`)}
<div class="against">${block("Expected", expected)}${block("Actual", actual, "actual")}</div>
${exchangeOf(check, full)}
${block("The request", curl)}
${block("Play it again", replayCommand(report, check), "play")}
${replay === undefined && html`<p class="label">at <code>${file}:${line}</code></p>`}
</article>`;
}

/** What the page narrows by: the surfaces and sections of clauses. */
export function marks(clauses: readonly string[], outline: Outline): Markup {
  const surfaces = [...new Set(clauses.flatMap((clause) => outline.clauses[clause]?.surface ?? []))];
  const sections = [...new Set(clauses.flatMap((clause) => outline.clauses[clause]?.section ?? []))];
  return html`data-surface="${surfaces.join(" ")}" data-section="${sections.join(" ")}"`;
}
