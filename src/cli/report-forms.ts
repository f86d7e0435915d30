import { type Command, InvalidArgumentError, Option } from "commander";
import type { RunResult } from "../runner/options.js";
import type { FileForm } from "../runner/report/files.js";
import { flag } from "./mock-options.js";

/** A form in which a report can be asked for. Files go to a directory, the others to standard output. */
export type Form = FileForm | "text" | "json" | "github";

/** The flags that say in which forms a report is given, and where to. */
export interface ReportFlags {
  report: Form[];
  out?: string;
  signKey?: string;
}

const printed: readonly Form[] = ["text", "json", "github"];
const written: readonly Form[] = ["junit", "html", "markdown"];

/** Declares `--out`, `--sign-key` and `--report`. */
export function addReportOptions(command: Command): Command {
  return command
    .addOption(flag("--out <dir>", "where report.json and the other files are written").default("counterpart-report"))
    .addOption(flag("--sign-key <file>", "private key (PEM) that signs the statement of what is written"))
    .addOption(
      new Option("--report <form>", `printed: ${printed.join(", ")}; written: ${written.join(", ")}; repeatable`)
        .argParser(collectForm)
        .default([], "text"),
    );
}

/** The forms that are files. */
export function fileForms(forms: readonly Form[]): FileForm[] {
  return forms.filter((form): form is FileForm => written.includes(form));
}

/** Prints the forms that go to standard output (text, when none is asked for), says what else there is to say, and sets the exit code. */
export async function printResult({ report, messages, exitCode }: RunResult, forms: readonly Form[]): Promise<void> {
  const { ledger } = await import("../runner/suite.js");
  const asked = forms.filter((form) => printed.includes(form));
  if (report && (asked.length === 0 || asked.includes("text"))) {
    const { textReport } = await import("../runner/report/text.js");
    process.stdout.write(textReport(report, ledger, { colour: process.stdout.isTTY === true }));
  }
  if (report && asked.includes("json")) process.stdout.write(`${JSON.stringify(report)}\n`);
  if (report && asked.includes("github")) {
    const { annotations } = await import("../runner/report/annotations.js");
    process.stdout.write(annotations(report));
  }
  for (const message of messages) console.error(report ? message : `counterpart: ${message}`);
  process.exitCode = exitCode;
}

function collectForm(value: string, earlier: Form[]): Form[] {
  const form = [...printed, ...written].find((name) => name === value);
  if (!form) throw new InvalidArgumentError(`Allowed choices are ${[...printed, ...written].join(", ")}.`);
  return [...earlier, form];
}
