import { html, type Markup, verbatim } from "../../common/html/markup.js";
import { guideGroups, readGuide, titleOf } from "../../guide/guides.js";
import { documentOf, header } from "./layout.js";
import { docsTexts } from "./texts.js";

/** Returns the page with all guides and a search in their text. */
export function guidesPage(): string {
  const groups = guideGroups.map(
    ({ readers, topics }) => html`<section data-part><h2>For ${readers}</h2><ul>${topics.map(listGuide)}</ul></section>`,
  );
  return documentOf(
    "Guides",
    html`${header("/guides")}<main class="text"><h1>Guides</h1>
<p>Every guide is also printed by <code>counterpart guide TOPIC</code>.</p>
<input type="search" id="search" aria-label="Search the guides" placeholder="Search the guides">
<p id="found" role="status"></p>${groups}</main>
<script type="module" src="/page.js"></script>`,
  );
}

/** Returns the page of one guide; undefined for an unknown topic. */
export function guidePage(topic: string): string | undefined {
  const { guides } = docsTexts();
  const text = Object.hasOwn(guides, topic) ? guides[topic] : undefined;
  if (text === undefined) return undefined;
  const links = guideGroups.map(
    ({ readers, topics }) => html`<h2>${readers}</h2><ul>${topics.map((one) => linkTo(one, topic))}</ul>`,
  );
  return documentOf(
    titleOf(readGuide(topic)),
    html`${header("/guides")}<div class="guide"><nav aria-label="Guides">${links}</nav><main class="text">${verbatim(text)}</main></div>`,
  );
}

/** A guide in the list, with its whole text for the search. */
function listGuide(topic: string): Markup {
  const markdown = readGuide(topic);
  return html`<li data-text="${markdown.toLowerCase()}"><a href="/guides/${topic}">${titleOf(markdown)}</a></li>`;
}

function linkTo(topic: string, current: string): Markup {
  const mark = topic === current ? verbatim(' aria-current="page"') : undefined;
  return html`<li><a href="/guides/${topic}"${mark}>${titleOf(readGuide(topic))}</a></li>`;
}
