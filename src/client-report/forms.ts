import { jsonText, visibleValue } from "../common/escape/visible.js";
import { htmlForm } from "./forms/html.js";
import { junitForm } from "./forms/junit.js";
import { textForm } from "./forms/text.js";
import type { ClientReport, ReportForm } from "./report.js";

/** The writer and the media type of each form. */
const forms = {
  text: { type: "text/plain", write: textForm },
  json: { type: "application/json", write: (report: ClientReport) => `${jsonText(report)}\n` },
  junit: { type: "application/xml", write: junitForm },
  html: { type: "text/html", write: htmlForm },
} as const satisfies Record<ReportForm, unknown>;

/** Returns a client report in one form. The forms for people show control characters as visible ones. */
export function writeReport(report: ClientReport, form: ReportForm): { type: string; text: string } {
  const { type, write } = forms[form];
  return { type, text: write(form === "json" ? report : visibleValue(report)) };
}
