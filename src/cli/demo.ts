import type { Command } from "commander";
import { besideMock } from "./beside-mock.js";
import { flag, wholeNumber } from "./mock-options.js";
import { printErrors } from "./output.js";
import { examine } from "./verify.js";

/** `counterpart demo`: starts the mock on free ports, examines it with the whole suite, prints the verdict, and ends. */
export function addDemo(program: Command): void {
  program
    .command("demo")
    .description("start the mock on free ports and examine it")
    .addOption(flag("--out <dir>", "where report.json and report.html are written").default("counterpart-report"))
    .addOption(flag("--seed <n>", "seed of the mock's world and of the run").argParser(wholeNumber).default(1))
    .addOption(flag("--runs <n>", "cases of each property; verify tries more by itself").argParser(wholeNumber).default(10))
    .action(demonstrate);
}

async function demonstrate({ out, seed, runs }: { out: string; seed: number; runs: number }): Promise<void> {
  await besideMock(async (mock) => {
    printErrors(`mock at ${mock.api_url}, tools at ${mock.mcp_url}, docs at ${mock.docs_url}`);
    await examine(mock.api_url, { only: [], report: ["text", "html"], out, seed, runs, profile: "full" });
  }, seed);
}
