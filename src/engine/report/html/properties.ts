import { html, type Markup } from "../../../common/html/markup.js";
import type { PropertyLine } from "../../property/result.js";
import type { Report } from "../report.js";
import { coverageLines } from "../summary.js";
import { badge, block } from "./pieces.js";

/** Every property with its cases and what they reached, folded; a broken one with its counterexample. */
export function propertySection({ properties }: Report): Markup | undefined {
  if (properties.length === 0) return undefined;
  return html`<section data-group><h2>Properties</h2>${properties.map(propertyItem)}</section>`;
}

function propertyItem(line: PropertyLine): Markup {
  const { id, title, verdict, runs, inconclusive, seed, reason, counterexample } = line;
  return html`
<details class="scenario ${verdict}" id="property:${id}" data-verdict="${verdict}">
<summary><span class="fixed">${badge(verdict)}</span><span>${title}</span><code class="tag">property:${id}</code></summary>
<div${verdict !== "failed" && html` id="property:${id}/cases"`}>${reason && html`<p class="reason">${reason}</p>`}
<p class="label">${runs} cases judged, ${inconclusive} said nothing, seed ${seed}</p>
${coverageLines(line).map((text) => html`<p class="label">Reached ${text}.</p>`)}
${block("Counterexample", counterexample)}</div>
</details>`;
}
