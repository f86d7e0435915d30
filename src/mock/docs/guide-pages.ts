import { html, type Markup, verbatim } from "../../common/html/markup.js";
import { guideGroups, readGuide } from "../../guide/guides.js";
import type { MockContext } from "../context.js";
import { buildDocument, buildHeader } from "./layout.js";
import { readDocsTexts } from "./texts.js";

/** Returns the page with all guides and a search in their text. */
export function buildGuidesPage(): string {
  const groups = guideGroups.map(
    ({ readers, topics }) =>
      html`<section data-part><h2>For ${readers}</h2><ul>${topics.map((topic) => buildListPage(topic, readGuide(topic)))}</ul></section>`,
  );
  const references = listReferenceTopics().map((topic) => buildListPage(topic, readTitle(topic)));
  return buildDocument(
    "Guides",
    html`${buildHeader("/guides")}<main class="text"><h1>Guides</h1>
<p><code>counterpart guide TOPIC</code> prints a page. <code>/guides/TOPIC.md</code> is a page as Markdown, and <a href="/llms.txt">/llms.txt</a> lists them for coding agents.</p>
<input type="search" id="search" aria-label="Search the guides" placeholder="Search the guides">
<p id="found" role="status"></p>${groups}<section data-part><h2>Reference</h2><ul>${references}</ul></section></main>
<script type="module" src="/page.js"></script>`,
  );
}

/** Returns the list of all pages for language models, as llmstxt.org describes it. The links lead to Markdown. */
export function buildLlmsText({ addresses: { docs_url, control_url } }: MockContext): string {
  const groups = listAllGroups().map(
    ({ readers, topics }) =>
      `## ${readers}\n\n${topics.map((one) => `- [${readTitle(one)}](${docs_url}/guides/${one}.md)\n`).join("")}`,
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
export function readGuideMarkdown(topic: string): string | undefined {
  return findPage(topic)?.markdown;
}

/** Returns the page of one guide or reference; undefined for an unknown topic. */
export function buildGuidePage(topic: string): string | undefined {
  const page = findPage(topic);
  if (page === undefined) return undefined;
  const links = listAllGroups().map(
    ({ readers, topics }) => html`<h2>${readers}</h2><ul>${topics.map((one) => buildLink(one, topic))}</ul>`,
  );
  return buildDocument(
    page.title,
    html`${buildHeader("/guides")}<div class="guide"><nav aria-label="Guides">${links}</nav><main class="text">${verbatim(page.html)}</main></div>`,
  );
}

function findPage(topic: string): { title: string; html: string; markdown: string } | undefined {
  const { guides } = readDocsTexts();
  return Object.hasOwn(guides, topic) ? guides[topic] : undefined;
}

function listAllGroups(): { readers: string; topics: readonly string[] }[] {
  return [...guideGroups, { readers: "Reference", topics: listReferenceTopics() }];
}

/** The topics that have no file in `src/guide`. */
function listReferenceTopics(): string[] {
  const topics = guideGroups.flatMap((group) => group.topics);
  return Object.keys(readDocsTexts().guides).filter((topic) => !topics.includes(topic));
}

/** A page in the list, with the text that the search reads. */
function buildListPage(topic: string, text: string): Markup {
  return html`<li data-text="${text.toLowerCase()}"><a href="/guides/${topic}">${readTitle(topic)}</a></li>`;
}

function buildLink(topic: string, current: string): Markup {
  const mark = topic === current ? verbatim(' aria-current="page"') : undefined;
  return html`<li><a href="/guides/${topic}"${mark}>${readTitle(topic)}</a></li>`;
}

function readTitle(topic: string): string {
  return readDocsTexts().guides[topic]!.title;
}
