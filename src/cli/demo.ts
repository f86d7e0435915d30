import type { Command } from "commander";
import { flag, wholeNumber } from "./mock-options.js";
import { printErrors } from "./output.js";
import { withMock } from "./start-mock.js";
import { verifyServer } from "./verify.js";

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

async function runDemo({ out, seed, runs }: { out: string; seed: number; runs: number }): Promise<void> {
  await withMock(async (mock) => {
    printErrors(`mock at ${mock.api_url}, tools at ${mock.mcp_url}, docs at ${mock.docs_url}`);
    await verifyServer(mock.api_url, { only: [], report: ["text", "html"], out, seed, runs, profile: "full" });
  }, seed);
}
