import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../contract/load.js";

/** The guides in reading order, by reader. A topic is the name of a file in `src/guide`. */
export const guideGroups: readonly { readers: string; topics: readonly string[] }[] = [
  {
    readers: "client authors",
    topics: [
      "first-test",
      "generated-clients",
      "mock",
      "clocks",
      "events-and-errors",
      "faults",
      "journal",
      "snapshots",
      "client-report",
      "console",
      "agents",
      "revisions",
      "troubleshooting",
    ],
  },
  { readers: "teams", topics: ["sharing", "proxy"] },
  { readers: "vendors and CI", topics: ["verify", "properties", "ci", "certify", "versions"] },
  { readers: "contributors", topics: ["scenarios", "quality", "performance", "tools"] },
];

/** Returns the Markdown of a guide. Throws for a topic without a file. */
export function readGuide(topic: string): string {
  return readFileSync(join(packageRoot, "src/guide", `${topic}.md`), "utf8");
}

/** Returns the title of a guide: its first line. */
export function getTitle(markdown: string): string {
  return markdown.slice(2, markdown.indexOf("\n"));
}
