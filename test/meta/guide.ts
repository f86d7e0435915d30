import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";

/** A page of the documentation: its path in the repository and its text. */
export interface Page {
  path: string;
  text: string;
}

/** Guides that explain how the project itself is made: they name files of the repository that the package does not have. */
const forContributors = ["scenarios", "quality", "performance", "tools"];

/** Returns the path of a guide on disk. */
export const guidePath = (topic: string) => join(packageRoot, `src/guide/${topic}.md`);

/** Returns the text of a guide. */
export const readGuide = (topic: string) => readFileSync(guidePath(topic), "utf8");

const topics = readdirSync(join(packageRoot, "src/guide"))
  .filter((file) => file.endsWith(".md"))
  .map((file) => file.replace(/\.md$/, ""));
const readme = readFileSync(join(packageRoot, "README.md"), "utf8");
const organisation = readme.indexOf("## How the code is organised");
const getPage = (topic: string): Page => ({ path: `src/guide/${topic}.md`, text: readGuide(topic) });

/** The pages for users: the first part of the README, and the guides for users. */
export const userPages: readonly Page[] = [
  { path: "README.md", text: readme.slice(0, organisation) },
  ...topics.filter((topic) => !forContributors.includes(topic)).map(getPage),
];

/** The pages for contributors: the second part of the README, and their guides. */
export const contributorPages: readonly Page[] = [
  { path: "README.md", text: readme.slice(organisation) },
  ...forContributors.map(getPage),
];

/** Returns the code blocks of one language on some pages, in order. */
export function getBlocks(pages: readonly Page[], language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\n([^]*?)\n\`\`\`$`, "gm");
  return pages.flatMap(({ text }) => [...text.matchAll(fence)].map(([, block]) => block!));
}
