import { jsonText, visibleValue } from "../../common/escape/visible.js";
import type { Outline } from "./outline.js";
import type { Report } from "./report.js";
import type { TextStyle } from "./text.js";

/** One form of a report: where it goes, and how it is made. What makes it is loaded when it is asked for. */
interface ReportForm {
  /** Standard output, or the name of the file that is written beside report.json. */
  writes: "stdout" | `report.${string}`;
  render(report: Report, outline: Outline, style: TextStyle): Promise<string>;
}

/** Every form that can be asked for, in the order in which they are printed and listed. */
const reportForms = {
  text: {
    writes: "stdout",
    render: async (report, outline, style) => (await import("./text.js")).textReport(report, outline, style),
  },
  json: { writes: "stdout", render: async (report) => (await import("./json.js")).jsonReport(report) },
  github: {
    writes: "stdout",
    render: async (report, outline) => (await import("./annotations.js")).annotations(report, outline),
  },
  junit: {
    writes: "report.junit.xml",
    render: async (report, outline) => (await import("./junit.js")).junitReport(report, outline),
  },
  html: { writes: "report.html", render: async (report, outline) => (await import("./html.js")).htmlReport(report, outline) },
  markdown: {
    writes: "report.md",
    render: async (report, outline) => (await import("./markdown.js")).markdownReport(report, outline),
  },
} as const satisfies Record<string, ReportForm>;

/** The name of a form. */
export type FormName = keyof typeof reportForms;

/** The name of a form that is a file. */
export type FileForm = { [Name in FormName]: (typeof reportForms)[Name]["writes"] extends "stdout" ? never : Name }[FormName];

/** The forms that are files. */
export const fileForms: readonly FileForm[] = namesOf().filter(isFileForm);

/** The forms that are printed. */
export const printedForms: readonly FormName[] = namesOf().filter((name) => !isFileForm(name));

/** The forms of which there is a file among these. */
export function formsOf(files: readonly string[]): FileForm[] {
  return fileForms.filter((form) => files.includes(reportForms[form].writes));
}

/** Names of the files that forms write. */
export const formFiles: readonly string[] = fileForms.map((form) => reportForms[form].writes);

/** Whether a form is a file. */
export function isFileForm(name: FormName): name is FileForm {
  return reportForms[name].writes !== "stdout";
}

/** Fields of a report that hold several lines. */
export const BLOCKS: readonly string[] = ["body", "counterexample"];

/** A report in one form; in the forms for people no text of a server, a file or a user holds a character that a display would obey. */
export function renderReport(name: FormName, report: Report, outline: Outline, style: TextStyle): Promise<string> {
  const form: ReportForm = reportForms[name];
  return form.render(name === "json" ? report : visibleValue(report, BLOCKS), outline, style);
}

/** The text of `report.json`: there is one way only to write a report. */
export function reportText(report: Report): string {
  return `${jsonText(report, 2)}\n`;
}

/** The files of a report: `report.json`, the forms asked for and the counterexamples of properties. */
export async function renderFiles(
  report: Report,
  outline: Outline,
  forms: readonly FileForm[] = [],
): Promise<{ name: string; text: string }[]> {
  const files = [{ name: "report.json", text: reportText(report) }];
  for (const form of new Set(forms))
    files.push({ name: reportForms[form].writes, text: await renderReport(form, report, outline, { colour: false }) });
  for (const { id, counterexample } of report.properties)
    if (counterexample !== undefined) files.push({ name: `counterexamples/${id}.yaml`, text: counterexample });
  return files;
}

function namesOf(): FormName[] {
  return Object.keys(reportForms) as FormName[];
}
