import { html, type Markup, verbatim } from "../../common/html/markup.js";
import { guideGroups, readGuide } from "../../guide/guides.js";
import { documentOf, header } from "./layout.js";
import { docsTexts } from "./texts.js";

/** Returns the page with all guides and a search in their text. */
export function guidesPage(): string {
  const groups = guideGroups.map(
    ({ readers, topics }) =>
      html`<section data-part><h2>For ${readers}</h2><ul>${topics.map((topic) => listPage(topic, readGuide(topic)))}</ul></section>`,
  );
  const references = referenceTopics().map((topic) => listPage(topic, titleIn(topic)));
  return documentOf(
    "Guides",
    html`${header("/guides")}<main class="text"><h1>Guides</h1>
<p>Every page is also printed by <code>counterpart guide TOPIC</code>.</p>
<input type="search" id="search" aria-label="Search the guides" placeholder="Search the guides">
<p id="found" role="status"></p>${groups}<section data-part><h2>Reference</h2><ul>${references}</ul></section></main>
<script type="module" src="/page.js"></script>`,
  );
}

/** Returns the page of one guide or reference; undefined for an unknown topic. */
export function guidePage(topic: string): string | undefined {
  const { guides } = docsTexts();
  const page = Object.hasOwn(guides, topic) ? guides[topic] : undefined;
  if (page === undefined) return undefined;
  const links = [...guideGroups, { readers: "Reference", topics: referenceTopics() }].map(
    ({ readers, topics }) => html`<h2>${readers}</h2><ul>${topics.map((one) => linkTo(one, topic))}</ul>`,
  );
  return documentOf(
    page.title,
    html`${header("/guides")}<div class="guide"><nav aria-label="Guides">${links}</nav><main class="text">${verbatim(page.html)}</main></div>`,
  );
}

/** The topics that have no file in `src/guide`. */
function referenceTopics(): string[] {
  const topics = guideGroups.flatMap((group) => group.topics);
  return Object.keys(docsTexts().guides).filter((topic) => !topics.includes(topic));
}

/** A page in the list, with the text that the search reads. */
function listPage(topic: string, text: string): Markup {
  return html`<li data-text="${text.toLowerCase()}"><a href="/guides/${topic}">${titleIn(topic)}</a></li>`;
}

function linkTo(topic: string, current: string): Markup {
  const mark = topic === current ? verbatim(' aria-current="page"') : undefined;
  return html`<li><a href="/guides/${topic}"${mark}>${titleIn(topic)}</a></li>`;
}

function titleIn(topic: string): string {
  return docsTexts().guides[topic]!.title;
}
