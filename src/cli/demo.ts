import type { Command } from "commander";
import { flag, wholeNumber } from "./mock-options.js";
import { printErrors } from "./output.js";
import { stop } from "./run.js";
import { runCommand } from "./run-command.js";
import { withMock } from "./start-mock.js";

/** Adds `counterpart demo`, which starts the mock on free ports, verifies it with the whole suite, and prints the verdict. */
export function addDemo(program: Command): void {
  program
    .command("demo")
    .description("start the mock on free ports and verify it")
    .addOption(flag("--out <dir>", "directory for report.json and report.html").default("counterpart-report"))
    .addOption(flag("--seed <n>", "seed of the mock's world and of the run").argParser(wholeNumber).default(1))
    .addOption(flag("--runs <n>", "cases per property; verify tries more by default").argParser(wholeNumber).default(10))
    .action(runDemo);
}

/** Little of what a run allocates lives long: with this young generation, in MB, the garbage collector takes a sixth less processor time. */
const YOUNG_GENERATION = "--max-semi-space-size=64";

/** Runs the mock in this process and `counterpart verify` in another one, so that each has a core. */
async function runDemo({ out, seed, runs }: { out: string; seed: number; runs: number }): Promise<void> {
  await withMock(async (mock) => {
    printErrors(`mock at ${mock.api_url}, tools at ${mock.mcp_url}, docs at ${mock.docs_url}`);
    const options = ["--profile", "full", "--out", out, "--seed", String(seed), "--runs", String(runs)];
    const [node = "", program = ""] = process.argv;
    const command = [node, YOUNG_GENERATION, program, "verify", mock.api_url, ...options, "--report", "text", "--report", "html"];
    const ended = await runCommand(command, withoutOptions(process.env));
    if ("problem" in ended) return stop(ended.problem);
    process.exitCode = ended.code;
  }, seed);
}

/** Returns an environment without the variables that set options of commands. */
function withoutOptions(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("COUNTERPART_")));
}
