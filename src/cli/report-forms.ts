import { type Command, InvalidArgumentError, Option } from "commander";
import { type FormName, fileForms, isFileForm, printedForms, renderReport } from "../engine/report/forms.js";
import type { Report } from "../engine/report/report.js";
import type { RunResult, VerifyOptions } from "../engine/run/options.js";
import { createFlag } from "./mock-options.js";
import { printColoured, printErrors } from "./output.js";
import { endProcess } from "./run.js";

/** The flags about the forms of a report and where they go. */
export interface ReportFlags {
  details?: true;
  report: FormName[];
  out?: string;
  signKey?: string;
}

/** Declares `--out`, `--sign-key` and `--report`. */
export function addReportOptions(command: Command): Command {
  const description = `printed: ${printedForms.join(", ")}; written to --out: ${fileForms.join(", ")}; repeatable`;
  return command
    .addOption(createFlag("--out <dir>", "directory for report.json and the other files").default("counterpart-report"))
    .addOption(createFlag("--sign-key <file>", "private key (PEM) that signs the statement"))
    .addOption(new Option("--details", "print every finding in full"))
    .addOption(new Option("--report <form>", description).argParser(collectForm).default([], "text"));
}

/** Returns the runner's options about files. */
export function readOutputOptions({ report, out, signKey }: ReportFlags): Pick<VerifyOptions, "forms" | "out" | "signKey"> {
  return { forms: report.filter(isFileForm), ...(out !== undefined && { out }), ...(signKey !== undefined && { signKey }) };
}

/** Prints the forms for standard output (text by default) and the messages, and sets the exit code. */
export async function printResult(
  { report, messages, exitCode, outcome = report?.outcome, directory }: RunResult,
  forms: readonly FormName[],
  details = false,
): Promise<void> {
  const requestedPrintedForms = printedForms.filter((form) => forms.includes(form));
  if (report) {
    const { suite } = await import("../suite/suite.js");
    const style = { colour: process.stdout.isTTY === true, details, ...(directory !== undefined && { directory }) };
    for (const form of requestedPrintedForms.length > 0 ? requestedPrintedForms : (["text"] as const))
      printColoured(await renderReport(form, report, suite, style));
  }
  printErrors(...messages.map((message) => (report ? message : `counterpart: ${message}`)));
  process.exitCode = exitCode;
  if (!outcome) return;
  if (report) await printUnjudged(report);
  endProcess(
    outcome,
    outcome === report?.outcome && (requestedPrintedForms.length === 0 || requestedPrintedForms.includes("text")),
  );
}

/** Prints why clauses or scenarios were not judged. */
async function printUnjudged(report: Report): Promise<void> {
  const { reason } = report.outcome;
  if (reason !== "clauses-unjudged" && reason !== "scenarios-unjudged" && reason !== "passed-in-part") return;
  const { listUnjudgedReasons: unjudgedReasons } = await import("../engine/verdict/unjudged-reasons.js");
  printErrors(...unjudgedReasons(report));
}

function collectForm(value: string, earlier: FormName[]): FormName[] {
  const all = [...printedForms, ...fileForms];
  const form = all.find((name) => name === value);
  if (!form) throw new InvalidArgumentError(`Allowed choices are ${all.join(", ")}.`);
  return [...earlier, form];
}
