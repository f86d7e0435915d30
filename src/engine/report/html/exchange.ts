import { html, type Markup } from "../../../common/html/markup.js";
import type { Check } from "../../execute/check.js";
import type { ShownExchange, ShownStep } from "../../execute/shown-steps.js";
import { formatRequest, formatResponse, isExchange, splitExchanges, summarizeStep } from "../exchange-text.js";
import { renderBar } from "./elements.js";

const MAX_JUDGED_EXCHANGES = 3;

/** Renders the judged exchanges of a failed check and marks the differences. The earlier steps follow in a collapsed list. */
export function renderCheckExchange(check: Check): Markup | undefined {
  const { before, judged } = splitExchanges(check);
  if (judged.length === 0) return undefined;
  const more = judged.length - MAX_JUDGED_EXCHANGES;
  return html`${judged.slice(0, MAX_JUDGED_EXCHANGES).map(renderSentAndReceived)}${more > 0 && html`<p class="label">and ${more} more exchanges like this</p>`}
${before.length > 0 && renderTimeline(before)}`;
}

function renderSentAndReceived(exchange: ShownExchange): Markup {
  return html`<div class="against exchange"><div><p class="label">Sent</p><pre>${formatRequest(exchange.request).join("\n")}</pre></div>
<div><p class="label">Received</p>${renderResponse(exchange)}</div></div>`;
}

function renderResponse(exchange: ShownExchange): Markup {
  const lines = formatResponse(exchange).map(({ text, expected }) =>
    expected === undefined ? html`${text}\n` : html`<mark>${text}</mark> <em class="expected">◄ expected ${expected}</em>\n`,
  );
  return html`<pre class="received">${lines}</pre>`;
}

/** Renders steps in order, each with its start and duration. */
function renderTimeline(steps: readonly ShownStep[]): Markup {
  const ends = steps.filter(isExchange).map(({ after_ms, took_ms }) => after_ms + took_ms);
  const whole = Math.max(1, ...ends);
  return html`<details class="fold"><summary>${steps.length === 1 ? "The step" : `The ${steps.length} steps`} before this request</summary>
<ol class="timeline">${steps.map((step) => html`<li>${isExchange(step) ? renderExchangeItem(step, whole) : html`<span class="what"><b>${step.step}</b> ${step.event}</span>`}</li>`)}</ol></details>`;
}

function renderExchangeItem(step: ShownExchange, whole: number): Markup {
  const [start, length] = [step.after_ms, step.took_ms].map((ms) => (100 * ms) / whole) as [number, number];
  const title = `started ${step.after_ms} ms after the first request, took ${step.took_ms} ms`;
  return html`<div class="line"><span class="what"><b>${step.step}</b> ${summarizeStep(step)}</span>${renderBar("when", [{ start, length, title }])}</div>`;
}
