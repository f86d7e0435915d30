import { html, type Markup, verbatim } from "../../common/html/markup.js";
import { guideGroups, readGuide } from "../../guide/guides.js";
import type { MockContext } from "../context.js";
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
<p><code>counterpart guide TOPIC</code> prints a page. <code>/guides/TOPIC.md</code> is a page as Markdown, and <a href="/llms.txt">/llms.txt</a> lists them for coding agents.</p>
<input type="search" id="search" aria-label="Search the guides" placeholder="Search the guides">
<p id="found" role="status"></p>${groups}<section data-part><h2>Reference</h2><ul>${references}</ul></section></main>
<script type="module" src="/page.js"></script>`,
  );
}

/** Returns the list of all pages for language models, as llmstxt.org describes it. The links lead to Markdown. */
export function llmsText({ addresses: { docs_url, control_url } }: MockContext): string {
  const groups = allGroups().map(
    ({ readers, topics }) =>
      `## ${readers}\n\n${topics.map((one) => `- [${titleIn(one)}](${docs_url}/guides/${one}.md)\n`).join("")}`,
  );
  return `# Counterpart

> A stateful mock server for one code-analysis service, over REST and MCP, and a conformance runner for servers of its contract.

${groups.join("\n")}
## Machine-readable descriptions

- [The service, OpenAPI 3.1](${docs_url}/openapi.json)
- [The control plane of this mock, OpenAPI 3.1](${control_url}/openapi.json)
`;
}

/** Returns one guide or reference as Markdown; undefined for an unknown topic. */
export function guideMarkdown(topic: string): string | undefined {
  return pageOf(topic)?.markdown;
}

/** Returns the page of one guide or reference; undefined for an unknown topic. */
export function guidePage(topic: string): string | undefined {
  const page = pageOf(topic);
  if (page === undefined) return undefined;
  const links = allGroups().map(
    ({ readers, topics }) => html`<h2>${readers}</h2><ul>${topics.map((one) => linkTo(one, topic))}</ul>`,
  );
  return documentOf(
    page.title,
    html`${header("/guides")}<div class="guide"><nav aria-label="Guides">${links}</nav><main class="text">${verbatim(page.html)}</main></div>`,
  );
}

function pageOf(topic: string): { title: string; html: string; markdown: string } | undefined {
  const { guides } = docsTexts();
  return Object.hasOwn(guides, topic) ? guides[topic] : undefined;
}

function allGroups(): { readers: string; topics: readonly string[] }[] {
  return [...guideGroups, { readers: "Reference", topics: referenceTopics() }];
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
