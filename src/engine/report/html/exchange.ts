import { html, type Markup } from "../../../common/html/markup.js";
import type { Check } from "../../execute/check.js";
import type { ShownExchange, ShownStep } from "../../execute/shown-steps.js";
import { answerLines, curlLine, isExchange, requestLines, stepLine, storyOf } from "../exchange-text.js";
import { scriptOf } from "../script.js";

const MOST_JUDGED = 3;

/** What a failed check sent and what came, with what is not as expected marked; before it, folded, what made the state: `full`, with each exchange. */
export function exchangeOf(check: Check, full: boolean): Markup | undefined {
  const { before, judged } = storyOf(check);
  if (judged.length === 0) return undefined;
  const more = judged.length - MOST_JUDGED;
  return html`${judged.slice(0, MOST_JUDGED).map(sentAndCame)}${more > 0 && html`<p class="label">and ${more} exchanges more like this</p>`}
${before.length > 0 && timeline(before, full)}
${full && html`<details class="fold"><summary>As a shell script</summary><pre>${scriptOf([check.id], check.exchanges ?? [])}</pre></details>`}`;
}

function sentAndCame(exchange: ShownExchange): Markup {
  return html`<div class="against exchange"><div><p class="label">Sent</p><pre>${requestLines(exchange.request).join("\n")}</pre></div>
<div><p class="label">Came</p>${answerBlock(exchange)}</div></div>`;
}

function answerBlock(exchange: ShownExchange): Markup {
  const lines = answerLines(exchange).map(({ text, expected }) =>
    expected === undefined ? html`${text}\n` : html`<mark>${text}</mark> <em class="wanted">◄ expected ${expected}</em>\n`,
  );
  return html`<pre class="came">${lines}</pre>`;
}

/** Steps in order, each with when it was begun and how long it took, and folded in it what was sent and came. */
function timeline(steps: readonly ShownStep[], full: boolean): Markup {
  const ends = steps.filter(isExchange).map(({ after_ms, took_ms }) => after_ms + took_ms);
  const whole = Math.max(1, ...ends);
  return html`<details class="fold"><summary>${steps.length === 1 ? "The step" : `The ${steps.length} steps`} before, which made the state</summary>
<ol class="timeline">${steps.map((step) => html`<li>${isExchange(step) ? exchangeItem(step, whole, full) : html`<span class="what"><b>${step.step}</b> ${step.event}</span>`}</li>`)}</ol></details>`;
}

function exchangeItem(step: ShownExchange, whole: number, full: boolean): Markup {
  const share = (ms: number) => ((100 * ms) / whole).toFixed(1);
  const line = html`<span class="what"><b>${step.step}</b> ${stepLine(step)}</span><span class="when" title="${step.after_ms} ms after the first, took ${step.took_ms} ms"><i style="margin-left:${share(step.after_ms)}%;width:${share(step.took_ms)}%"></i></span>`;
  if (!full) return html`<div class="line">${line}</div>`;
  return html`<details><summary class="line">${line}</summary>
${sentAndCame(step)}<pre>${curlLine(step.request)}</pre></details>`;
}
