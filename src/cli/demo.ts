import type { Command } from "commander";
import { createFlag, parseWholeNumber } from "./mock-options.js";
import { printErrors } from "./output.js";
import { stop } from "./run.js";
import { runCommand } from "./run-command.js";
import { runWithMock } from "./start-mock.js";

/** Adds `counterpart demo`, which starts the mock on free ports, verifies it with the whole suite, and prints the verdict. */
export function addDemo(program: Command): void {
  program
    .command("demo")
    .description("start the mock on free ports and verify it")
    .addOption(createFlag("--out <dir>", "directory for report.json and report.html").default("counterpart-report"))
    .addOption(createFlag("--seed <n>", "seed of the mock's world and of the run").argParser(parseWholeNumber).default(1))
    .addOption(
      createFlag("--runs <n>", "cases per property; verify tries more by default").argParser(parseWholeNumber).default(10),
    )
    .action(runDemo);
}

/**
 * The size of the young generation in MB. Most objects of a run are short-lived, and this size saves a sixth of the time of
 * garbage collection.
 */
const YOUNG_GENERATION_FLAG = "--max-semi-space-size=64";

/** Runs the mock in this process and `counterpart verify` in another one, so that each has a core. */
async function runDemo({ out, seed, runs }: { out: string; seed: number; runs: number }): Promise<void> {
  await runWithMock(async (mock) => {
    printErrors(`mock at ${mock.api_url}, tools at ${mock.mcp_url}, docs at ${mock.docs_url}`);
    const options = ["--profile", "full", "--out", out, "--seed", String(seed), "--runs", String(runs)];
    const [node = "", program = ""] = process.argv;
    const command = [
      node,
      YOUNG_GENERATION_FLAG,
      program,
      "verify",
      mock.api_url,
      ...options,
      "--report",
      "text",
      "--report",
      "html",
    ];
    const ended = await runCommand(command, removeNodeOptions(process.env));
    if ("problem" in ended) return stop(ended.problem);
    process.exitCode = ended.code;
  }, seed);
}

/** Returns an environment without the variables that set options of commands. */
function removeNodeOptions(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("COUNTERPART_")));
}
