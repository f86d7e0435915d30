import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Ledger } from "../scenario/mistakes.js";
import type { Report } from "./report.js";

/** A form of a report that is a file of its own. */
export type FileForm = "junit" | "html" | "markdown";

type Render = (report: Report, ledger: Ledger) => Promise<string>;

/** Each form's file, and how it is made; what makes it is loaded when it is asked for. */
const files: Readonly<Record<FileForm, { name: string; render: Render }>> = {
  junit: { name: "report.junit.xml", render: async (report) => (await import("./junit.js")).junitReport(report) },
  html: { name: "report.html", render: async (report, ledger) => (await import("./html.js")).htmlReport(report, ledger) },
  markdown: {
    name: "report.md",
    render: async (report, ledger) => (await import("./markdown.js")).markdownReport(report, ledger),
  },
};

/**
 * Writes `report.json`, the forms asked for and the counterexamples of properties into a directory (made if need be): each file whole or not at all, and none when one of them
 * cannot be written. Gives their paths; throws what the file system throws.
 */
export async function writeReports(
  directory: string,
  report: Report,
  ledger: Ledger,
  forms: readonly FileForm[] = [],
): Promise<string[]> {
  const drafts: { path: string; text: string }[] = [
    { path: join(directory, "report.json"), text: `${JSON.stringify(report, null, 2)}\n` },
  ];
  for (const { name, render } of [...new Set(forms)].map((form) => files[form]))
    drafts.push({ path: join(directory, name), text: await render(report, ledger) });
  for (const { id, counterexample } of report.properties)
    if (counterexample !== undefined)
      drafts.push({ path: join(directory, "counterexamples", `${id}.yaml`), text: counterexample });
  await Promise.all(drafts.map(({ path }) => mkdir(dirname(path), { recursive: true })));
  return writeWhole(drafts);
}

/** Writes files so that nobody ever sees half of one: all under other names first, then renamed. */
async function writeWhole(texts: readonly { path: string; text: string }[]): Promise<string[]> {
  const drafts = texts.map(({ path, text }) => ({ path, text, draft: `${path}.${process.pid}.tmp` }));
  try {
    for (const { draft, text } of drafts) await writeFile(draft, text);
    for (const { draft, path } of drafts) await rename(draft, path);
  } finally {
    await Promise.allSettled(drafts.map(({ draft }) => rm(draft, { force: true })));
  }
  return drafts.map(({ path }) => path);
}
