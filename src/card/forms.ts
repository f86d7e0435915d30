import { jsonText, visibleValue } from "../common/escape/visible.js";
import { htmlForm } from "./forms/html.js";
import { junitForm } from "./forms/junit.js";
import { textForm } from "./forms/text.js";
import type { CardForm, ClientReport } from "./report.js";

/** What writes each form, with its media type. */
const forms = {
  text: { type: "text/plain", write: textForm },
  json: { type: "application/json", write: (report: ClientReport) => `${jsonText(report)}\n` },
  junit: { type: "application/xml", write: junitForm },
  html: { type: "text/html", write: htmlForm },
} as const satisfies Record<CardForm, unknown>;

/** A client's report in one form; in the forms for people no text of a client holds a character that a display would obey. */
export function writeReport(report: ClientReport, form: CardForm): { type: string; text: string } {
  const { type, write } = forms[form];
  return { type, text: write(form === "json" ? report : visibleValue(report)) };
}
