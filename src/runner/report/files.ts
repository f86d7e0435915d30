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

/** A file of a directory: its text, or where it lies whole under another name. Names are relative, with slashes. */
export type Written = { name: string; text: string } | { name: string; draft: string };

/** `report.json`, the forms asked for and the counterexamples of properties. */
export async function renderReports(
  report: Report,
  ledger: Ledger,
  forms: readonly FileForm[] = [],
): Promise<{ name: string; text: string }[]> {
  const rendered = [{ name: "report.json", text: `${JSON.stringify(report, null, 2)}\n` }];
  for (const { name, render } of [...new Set(forms)].map((form) => files[form]))
    rendered.push({ name, text: await render(report, ledger) });
  for (const { id, counterexample } of report.properties)
    if (counterexample !== undefined) rendered.push({ name: `counterexamples/${id}.yaml`, text: counterexample });
  return rendered;
}

/**
 * Writes files into a directory (made if need be) so that nobody ever sees half of one: all under other names first, then renamed; none
 * when one of them cannot be written. Throws what the file system throws.
 */
export async function writeWhole(directory: string, written: readonly Written[]): Promise<void> {
  const drafts = written.map((one) => {
    const path = join(directory, one.name);
    return { path, draft: "draft" in one ? one.draft : `${path}.${process.pid}.tmp`, ...("text" in one && { text: one.text }) };
  });
  await Promise.all(drafts.map(({ path }) => mkdir(dirname(path), { recursive: true })));
  try {
    for (const { draft, text } of drafts) if (text !== undefined) await writeFile(draft, text);
    for (const { draft, path } of drafts) await rename(draft, path);
  } finally {
    await Promise.allSettled(drafts.map(({ draft }) => rm(draft, { force: true })));
  }
}
