import { escapeValue, formatJson } from "../common/escape/visible.js";
import { formatHtml } from "./forms/html.js";
import { formatJunit } from "./forms/junit.js";
import { formatText } from "./forms/text.js";
import type { ClientReport, ReportForm } from "./report.js";

/** The writer and the media type of each form. */
const forms = {
  text: { type: "text/plain", write: formatText },
  json: { type: "application/json", write: (report: ClientReport) => `${formatJson(report)}\n` },
  junit: { type: "application/xml", write: formatJunit },
  html: { type: "text/html", write: formatHtml },
} as const satisfies Record<ReportForm, unknown>;

/** Returns a client report in one form. The forms for people show control characters as visible ones. */
export function writeReport(report: ClientReport, form: ReportForm): { type: string; text: string } {
  const { type, write } = forms[form];
  return { type, text: write(form === "json" ? report : escapeValue(report)) };
}
