import type { Command } from "commander";
import { addReportOptions, outputOptions, printResult, type ReportFlags } from "./report-forms.js";

/** `counterpart merge DIR…`: makes one report of those of the shards, and judges the whole suite by it. */
export function addMerge(program: Command): void {
  const command = program
    .command("merge")
    .description("merge the reports of shards")
    .argument("<dir...>", "directories of report.json, one a shard");
  addReportOptions(command).action(mergeShards);
}

async function mergeShards(places: string[], flags: ReportFlags): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { merge } = await import("../engine/run/merge.js");
  await printResult(await merge(suite, places, outputOptions(flags)), flags.report, flags.details);
}
