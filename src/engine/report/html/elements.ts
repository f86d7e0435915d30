import { html, type Markup } from "../../../common/html/markup.js";
import type { Verdict } from "../../execute/check.js";

/** Renders a verdict as a label in its colour. */
export function renderBadge(verdict: Verdict): Markup {
  return html`<span class="badge ${verdict}">${verdict}</span>`;
}

/** A part of a bar: where it starts and how long it is, in percent. */
interface BarPart {
  start: number;
  length: number;
  verdict?: Verdict;
  title?: string;
}

/** The minimum visible length of a part of a bar, in percent. */
const MIN_BAR_PERCENT = 0.5;

/** Renders a bar. It is an image, as the content security policy allows no `style` attributes. */
export function renderBar(className: string, parts: readonly BarPart[]): Markup {
  return html`<svg class="${className}" aria-hidden="true">${parts.map(({ start, length, verdict, title }) => {
    const width = Math.max(length, MIN_BAR_PERCENT);
    return html`<rect class="${verdict}" x="${Math.min(start, 100 - width).toFixed(1)}%" width="${width.toFixed(1)}%" height="100%">${title && html`<title>${title}</title>`}</rect>`;
  })}</svg>`;
}

/** Renders a labelled block of preformatted text. */
export function renderBlock(label: string, text: string | undefined, className = ""): Markup | undefined {
  if (text === undefined) return undefined;
  return html`<div class="${className}"><p class="label">${label}</p><pre>${text}</pre></div>`;
}

/** Renders the parts of a sentence between backticks as code. */
export function inlineCode(sentence = ""): Markup[] {
  return sentence.split("`").map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
