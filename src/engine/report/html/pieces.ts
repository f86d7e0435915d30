import { html, type Markup } from "../../../common/html/markup.js";
import type { Verdict } from "../../execute/check.js";

/** A verdict as a small sign in its colour. */
export function badge(verdict: Verdict): Markup {
  return html`<span class="badge ${verdict}">${verdict}</span>`;
}

/** A labelled block of text to read or to copy. */
export function block(label: string, text: string | undefined, className = ""): Markup | undefined {
  if (text === undefined) return undefined;
  return html`<div class="${className}"><p class="label">${label}</p><pre>${text}</pre></div>`;
}

/** A sentence of the ledger: what stands between backticks is code. */
export function prose(sentence = ""): Markup[] {
  return sentence.split("`").map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
