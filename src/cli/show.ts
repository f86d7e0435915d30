import { type Command, Option } from "commander";
import { escapeLine, escapeValue, formatJson } from "../common/escape/visible.js";
import { findNearest } from "../common/nearest-names.js";
import type { BundleCheck, FindResult } from "../engine/run/find-checks.js";
import { printText } from "./output.js";
import { printResult } from "./report-forms.js";
import { stop } from "./run.js";

/** A form in which steps are shown. */
export type StepsForm = "text" | "curl" | "json";

/** The maximum number of checks in the heading of a script. */
const MAX_LISTED = 3;

/** Adds `counterpart show DIR [CHECK]`, which prints a check from a directory of `verify`, with every exchange. */
export function addShow(program: Command): void {
  program
    .command("show")
    .description("print one check of a run: its requests, its answers and the clause")
    .argument("<dir>", "directory (or report.json) of a run")
    .argument("[check]", "a check, a scenario or a clause; without it, the findings are listed")
    .addOption(createFormOption())
    .action(show);
}

/** Returns the flag `--as`. */
export function createFormOption(): Option {
  return new Option("--as <form>", "text, curl (the steps as a shell script) or json")
    .choices(["text", "curl", "json"])
    .default("text");
}

async function show(place: string, name: string | undefined, { as }: { as: StepsForm }): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { findChecks } = await import("../engine/run/find-checks.js");
  const findResult = await findChecks(suite, place, name);
  if (!findResult.ok) return stop(describeMistake(findResult, name));
  if (!findResult.found) return printResult({ report: findResult.report, messages: [], exitCode: 0 }, []);
  printText(await renderCheck(as, findResult.found));
}

/** Returns the text of a check from a bundle. */
export async function renderCheck(as: StepsForm, { report, scenario, checks, steps }: BundleCheck): Promise<string> {
  if (as === "json") return `${formatJson({ scenario, checks, steps }, 2)}\n`;
  const { suite } = await import("../suite/suite.js");
  const { describeClausePlace: placeOfClause, replayCommand } = await import("../engine/report/summary.js");
  const check = checks.find(({ verdict, exchanges }) => verdict === "failed" && exchanges);
  if (as === "curl") {
    const { writeShellScript: shellScript } = await import("../engine/report/shell-script.js");
    const listedChecks = check ? [check] : checks.slice(0, MAX_LISTED);
    const clauses = [...new Set(listedChecks.flatMap((check) => check.clauses))];
    const description = clauses.map((id) => `${id} (${placeOfClause(id, suite)}): ${suite.clauses[id]?.description}`);
    return shellScript(
      [...listedChecks.map(({ id, verdict }) => `${id}: ${verdict}`), ...description],
      check?.exchanges ?? steps,
    );
  }
  const { BLOCK_FIELDS: BLOCKS } = await import("../engine/report/forms.js");
  const { checkText } = await import("../engine/report/text.js");
  const { formatSteps: stepsText } = await import("../engine/report/exchange-text.js");
  const texts = checks.map((check) => checkText(escapeValue(check, BLOCKS), suite, replayCommand(report, check)));
  return `${[...texts, `${escapeLine(scenario)}, every step:`, stepsText(steps)].join("\n\n")}\n`;
}

function describeMistake({ mistake, names }: FindResult & { ok: false }, name = ""): string {
  const near = names.length === 0 ? [] : findNearest(name, names);
  return near.length === 0 ? mistake : `${mistake}; closest: ${near.join(", ")}`;
}
