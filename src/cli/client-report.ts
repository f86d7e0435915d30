import { join } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { type ClientReport, type ReportForm, reportForms } from "../client-report/report.js";
import { makeDirectory } from "../common/directory.js";
import { type CommandOutcome, createOutcome, type outcomes } from "../common/outcomes.js";
import { writeOutputFile } from "../common/user-file.js";
import { printText } from "./output.js";

/** File names of the forms. */
const fileNames: Record<ReportForm, string> = {
  text: "client-report.txt",
  json: "client-report.json",
  junit: "client-report.junit.xml",
  html: "client-report.html",
};

/** Returns the flag `--client-report`: one or more forms with commas between them. It may be repeated. */
export function createClientReportOption(description: string): Option {
  return new Option("--client-report [forms]", `${description}; forms: ${reportForms.join(", ")} (default: text)`)
    .preset("text")
    .argParser(collectForms);
}

/** Writes a client report in each form to standard output, or to files in `out`. */
export async function printClientReport(
  report: ClientReport,
  forms: readonly ReportForm[],
  out: string | undefined,
): Promise<void> {
  const { writeReport } = await import("../client-report/forms.js");
  if (out !== undefined) makeDirectory(out);
  for (const form of forms) {
    const { text } = writeReport(report, form);
    if (out === undefined) printText(text);
    else writeOutputFile(join(out, fileNames[form]), text);
  }
}

/** Returns the outcome of a report, with the sentences of a command. Calls that the contract only discourages do not change the verdict. */
export function judgeClient(
  { findings, requests, verdict }: ClientReport,
  rows: typeof outcomes.exec | typeof outcomes.proxy,
): CommandOutcome {
  const forbiddenCount = findings.filter(({ severity }) => severity === "forbidden").length;
  if (forbiddenCount > 0) return createOutcome(rows["forbidden-calls"], { count: forbiddenCount });
  if (requests === 0) return createOutcome(rows["no-request"], {});
  return verdict === "inconclusive"
    ? createOutcome(rows["nothing-judged"], { requests })
    : createOutcome(rows.clean, { count: findings.length });
}

function collectForms(value: string, earlier: ReportForm[] | undefined): ReportForm[] {
  const forms = value.split(",").map((name) => {
    const form = reportForms.find((reportForm) => reportForm === name.trim());
    if (!form) throw new InvalidArgumentError(`Allowed choices are ${reportForms.join(", ")}.`);
    return form;
  });
  return [...(earlier ?? []), ...forms];
}
