import { html, type Markup } from "../../../common/html/markup.js";
import type { Verdict } from "../../execute/check.js";

/** Renders a verdict as a label in its colour. */
export function badge(verdict: Verdict): Markup {
  return html`<span class="badge ${verdict}">${verdict}</span>`;
}

/** Renders a labelled block of preformatted text. */
export function block(label: string, text: string | undefined, className = ""): Markup | undefined {
  if (text === undefined) return undefined;
  return html`<div class="${className}"><p class="label">${label}</p><pre>${text}</pre></div>`;
}

/** Renders the parts of a sentence between backticks as code. */
export function inlineCode(sentence = ""): Markup[] {
  return sentence.split("`").map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
