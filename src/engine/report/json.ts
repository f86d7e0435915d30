import { jsonText } from "../../common/escape/visible.js";
import type { Report } from "./report.js";

/** A report as one line of JSON, for programs. */
export function jsonReport(report: Report): string {
  return `${jsonText(report)}\n`;
}
