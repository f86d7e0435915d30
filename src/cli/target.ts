import { existsSync } from "node:fs";
import type { Command } from "commander";
import { type CommandOutcome, createOutcome, outcomes } from "../common/outcomes.js";
import { writeOutputFile } from "../common/user-file.js";
import type { VerifyOptions } from "../engine/run/options.js";
import type { TargetCheck } from "../engine/run/target/check-target.js";
import { confirmGuesses } from "../engine/run/target/confirm-guesses.js";
import type { TargetDraft } from "../engine/run/target/inspect-server.js";
import type { Suite } from "../engine/suite.js";
import { createFlag } from "./mock-options.js";
import { printErrors, printJson, printLines, printText } from "./output.js";
import { openQuestions } from "./questions.js";
import { endProcess, stop } from "./run.js";
import { addTargetOptions, type VerifyFlags } from "./verify.js";

type Flags = Pick<VerifyFlags, "target" | "key" | "profile"> & { json?: true };

/** Adds `counterpart target`, which writes a target file from what a server shows, or checks one against its server. */
export function addTarget(program: Command): void {
  const target = program.command("target").description("write or check a target file");
  target
    .command("init")
    .description("write a target file from what a server shows; changes nothing on the server")
    .argument("<url>", "address of the API host")
    .addOption(createFlag("--key <key>", "bearer key of the role full; set COUNTERPART_KEY_VIEWER and so on for other roles"))
    .option("--app-url <url>", "address of the web app")
    .option("--docs-url <url>", "address of the docs site")
    .option("--out <file>", "the file to write", "counterpart-target.yaml")
    .option("--force", "overwrite an existing file")
    .action(writeFile);
  const check = target
    .command("check")
    .description("try each address, key, binding and hook of a target file, and list what is missing to judge more")
    .argument("[file]", "the target file; without it, the server at --url describes itself")
    .option("--url <url>", "address of the API host; overrides the file")
    .option("--json", "print JSON");
  addTargetOptions(check).action(checkFile);
}

async function writeFile(
  url: string,
  { key, appUrl, docsUrl, out, force }: { key?: string; appUrl?: string; docsUrl?: string; out: string; force?: true },
): Promise<void> {
  if (existsSync(out) && !force) return stop(`${out} exists. Give another name with --out, or --force to overwrite it.`);
  const { suite } = await import("../suite/suite.js");
  const { inspectServer } = await import("../engine/run/target/inspect-server.js");
  const { createTargetFile: targetFile } = await import("../engine/run/target/target-file.js");
  const draft = await inspectServer(suite, {
    url,
    ...(key !== undefined && { key }),
    ...(appUrl !== undefined && { app: appUrl }),
    ...(docsUrl !== undefined && { docs: docsUrl }),
  });
  if (!("tools" in draft)) return stop(draft.messages, draft.exitCode);
  const tools = await applyAnswers(suite, draft);
  const file = targetFile(suite, { ...draft, tools }, out);
  if (!file.ok) return stop(file.mistakes);
  writeOutputFile(out, file.text);
  const purposes = Object.keys(suite.target.names?.tools ?? {}).length;
  printErrors(...draft.notes);
  printLines(`${out}: written`);
  printLines(`  docs host: ${draft.docs ?? "not found; give it with --docs-url"}`);
  printLines(
    draft.mcp.why === undefined
      ? `  tools: the server lists ${draft.listedTools.length}; ${tools.length} of ${purposes} purposes are bound`
      : `  tools: none: ${draft.mcp.why}`,
  );
  printLines(`  repositories: ${draft.repos.join(", ") || "none found"}`);
  for (const { role, found } of draft.keys) printLines(`  key of ${role}: ${found.message}`);
  if (draft.keys.length === 0) printLines("  no key: give one with --key or COUNTERPART_KEY, and run again with --force");
  printLines(`Read the file, then run: counterpart target check ${out}`);
}

/**
 * Asks for each guessed tool whether it is right, if a person is at the terminal. Enter keeps the guess, `-` leaves the purpose out. The end of the input
 * keeps all guesses that are left.
 */
async function applyAnswers({ target }: Suite, { tools, listedTools }: TargetDraft): Promise<TargetDraft["tools"]> {
  const isGuess = ({ how }: TargetDraft["tools"][number]) => how === "guess";
  if (!target.names || !tools.some(isGuess) || !process.stdin.isTTY || !process.stdout.isTTY) return tools;
  const questions = openQuestions(process.stdin, process.stdout);
  try {
    const answeredProposedTools = await confirmGuesses(target.names, tools, listedTools, questions.ask);
    if (answeredProposedTools.some(isGuess))
      printErrors("", "The input ended: the other guesses are kept. A comment in the file marks each of them.");
    return answeredProposedTools;
  } finally {
    questions.close();
  }
}

async function checkFile(file: string | undefined, { json, url, ...flags }: Flags & { url?: string }): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { checkTarget } = await import("../engine/run/target/check-target.js");
  const { formatTargetCheck: targetCheckText } = await import("../engine/run/target/check-text.js");
  const options: VerifyOptions = { ...flags, ...(file !== undefined && { target: file }), ...(url !== undefined && { url }) };
  const found = await checkTarget(suite, options);
  if (!("entries" in found)) return stop(found.messages, found.exitCode);
  const outcome = computeOutcome(found);
  if (json) {
    const { gaps, ...rest } = found;
    const missing = gaps.items.map((item) => ({ item, ...gaps.valueOf(item) }));
    printJson({
      ...rest,
      exitCode: outcome.exit_code,
      judgeable: gaps.judgeable,
      total: gaps.total,
      missing,
      best: gaps.best(3),
    });
  } else printText(targetCheckText(found));
  endProcess(outcome);
}

function computeOutcome({ entries }: TargetCheck): CommandOutcome {
  const rows = outcomes["target check"];
  const count = (state: TargetCheck["entries"][number]["state"]) => entries.filter((entry) => entry.state === state).length;
  const [wrong, unclear] = [count("wrong"), count("unclear")];
  if (wrong > 0) return createOutcome(rows.wrong, { count: wrong });
  return unclear > 0 ? createOutcome(rows.unclear, { count: unclear }) : createOutcome(rows.works, {});
}
