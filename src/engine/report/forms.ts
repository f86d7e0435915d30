import { escapeValue, formatJson } from "../../common/escape/visible.js";
import type { Outline } from "./outline.js";
import type { Report } from "./report.js";
import type { TextStyle } from "./text.js";

/** One form of a report: where it is written, and the function that renders it. `render` loads its module on demand. */
interface ReportForm {
  /** Standard output, or the name of a file in the directory of report.json. */
  writes: "stdout" | `report.${string}`;
  render(report: Report, outline: Outline, style: TextStyle): Promise<string>;
}

/** Every form of a report, in the order in which they are printed and listed. */
const reportForms = {
  text: {
    writes: "stdout",
    render: async (report, outline, style) => (await import("./text.js")).formatTextReport(report, outline, style),
  },
  json: { writes: "stdout", render: async (report) => `${formatJson(report)}\n` },
  github: {
    writes: "stdout",
    render: async (report, outline) => (await import("./annotations.js")).formatAnnotations(report, outline),
  },
  junit: {
    writes: "report.junit.xml",
    render: async (report, outline) => (await import("./junit.js")).formatJunitReport(report, outline),
  },
  html: {
    writes: "report.html",
    render: async (report, outline) => (await import("./html.js")).renderHtmlReport(report, outline),
  },
  markdown: {
    writes: "report.md",
    render: async (report, outline) => (await import("./markdown.js")).formatMarkdownReport(report, outline),
  },
  badge: { writes: "report.svg", render: async (report, outline) => (await import("./badge.js")).formatBadge(report, outline) },
} as const satisfies Record<string, ReportForm>;

/** The name of a form. */
export type FormName = keyof typeof reportForms;

/** The name of a form that is written to a file. */
export type FileForm = { [Name in FormName]: (typeof reportForms)[Name]["writes"] extends "stdout" ? never : Name }[FormName];

/** The forms that are written to files. */
export const fileForms: readonly FileForm[] = listFormNames().filter(isFileForm);

/** The forms that are printed on standard output. */
export const printedForms: readonly FormName[] = listFormNames().filter((name) => !isFileForm(name));

/** Returns the forms whose files are in a list of file names. */
export function parseForms(files: readonly string[]): FileForm[] {
  return fileForms.filter((form) => files.includes(reportForms[form].writes));
}

/** The names of the files that forms write. */
export const formFiles: readonly string[] = fileForms.map((form) => reportForms[form].writes);

/** Returns whether a form is written to a file. */
export function isFileForm(name: FormName): name is FileForm {
  return reportForms[name].writes !== "stdout";
}

/** Fields of a report whose text has several lines. */
export const BLOCK_FIELDS: readonly string[] = ["body", "counterexample"];

/** Renders a report in one form. All forms except JSON show control characters from servers, files and users as visible text. */
export function renderReport(name: FormName, report: Report, outline: Outline, style: TextStyle): Promise<string> {
  const form: ReportForm = reportForms[name];
  return form.render(name === "json" ? report : escapeValue(report, BLOCK_FIELDS), outline, style);
}

/** Returns the text of `report.json`. Equal reports have equal texts. */
export function formatReport(report: Report): string {
  return `${formatJson(report, 2)}\n`;
}

/** Renders the files of a report: `report.json`, one file for each form, and the counterexamples of properties. */
export async function renderFiles(
  report: Report,
  outline: Outline,
  forms: readonly FileForm[] = [],
): Promise<{ name: string; text: string }[]> {
  const files = [{ name: "report.json", text: formatReport(report) }];
  for (const form of new Set(forms))
    files.push({ name: reportForms[form].writes, text: await renderReport(form, report, outline, { colour: false }) });
  for (const { id, counterexample } of report.properties)
    if (counterexample !== undefined) files.push({ name: `counterexamples/${id}.yaml`, text: counterexample });
  return files;
}

function listFormNames(): FormName[] {
  return Object.keys(reportForms) as FormName[];
}
