import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../contract/load.js";

/** The texts that the build prepares for the site: each guide and reference page by topic, and the names of the checks by clause. */
interface DocsTexts {
  guides: Readonly<Record<string, { title: string; html: string; markdown: string }>>;
  checks: Readonly<Record<string, readonly string[]>>;
}

let texts: DocsTexts | undefined;

/** Returns the texts, which are read once, when a page first needs them. */
export function readDocsTexts(): DocsTexts {
  texts ??= JSON.parse(readFileSync(join(packageRoot, "dist/bundled/docs-texts.json"), "utf8")) as DocsTexts;
  return texts;
}
