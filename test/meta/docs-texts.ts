import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, Renderer, type Tokens } from "marked";
import { createCommandLine } from "../../src/cli/program.js";
import { findReferenceTitle, referenceTopics, writeReference } from "../../src/cli/reference/pages.js";
import { contract, packageRoot } from "../../src/contract/load.js";
import { getTitle, guideGroups, readGuide } from "../../src/guide/guides.js";
import { readScenarioCatalogue } from "../../src/suite/suite.js";

/** Writes the texts of the docs site: each guide and reference page as HTML and Markdown, and the names of the checks of each clause. */
export async function writeDocsTexts(): Promise<void> {
  const folder = join(packageRoot, "dist/bundled");
  const topics = guideGroups.flatMap((group) => group.topics);
  const checks: Record<string, string[]> = {};
  for (const { name, claims } of readScenarioCatalogue())
    for (const clause of claims) checks[clause] = [...new Set([...(checks[clause] ?? []), name.replace(/\[\d+\]$/, "")])];
  const guides: Record<string, object> = {};
  for (const topic of topics) guides[topic] = getPage(getTitle(readGuide(topic)), readGuide(topic));
  // the site has a page of clauses that can be searched
  for (const topic of referenceTopics.filter((one) => one !== "reference-clauses"))
    guides[topic] = getPage(findReferenceTitle(topic), await writeReference(topic, createCommandLine()));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "docs-texts.json"), JSON.stringify({ guides, checks }));
}

/** Links between guides lead to their pages, and names of clauses to their entries. */
class GuideRenderer extends Renderer {
  override link({ href, text }: Tokens.Link): string {
    const [, topic] = /^([\w-]+)\.md$/.exec(href) ?? [];
    return `<a href="${topic === undefined ? href : `/guides/${topic}`}">${text}</a>`;
  }

  override codespan({ text }: Tokens.Codespan): string {
    const code = `<code>${escapeText(text)}</code>`;
    return text in contract.clauses ? `<a href="/clauses#${text}">${code}</a>` : code;
  }

  /** Long lines scroll, so the keyboard must reach them. */
  override code(code: Tokens.Code): string {
    return super.code(code).replace("<pre>", '<pre tabindex="0">');
  }

  override heading({ tokens, depth, text }: Tokens.Heading): string {
    const name = text.toLowerCase().replaceAll(" ", "-");
    return `<h${depth} id="${escapeText(name)}">${this.parser.parseInline(tokens)}</h${depth}>`;
  }
}

/** Returns a page in both forms. */
function getPage(title: string, markdown: string): object {
  return { title, markdown, html: parse(markdown, { renderer: new GuideRenderer(), async: false }) };
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
