import type { Command } from "commander";
import { addReportOptions, printResult, type ReportFlags, readOutputOptions } from "./report-forms.js";

/** Adds `counterpart merge DIR…`, which joins the reports of shards and judges the whole suite. */
export function addMerge(program: Command): void {
  const command = program
    .command("merge")
    .description("join the reports of shards and judge them as one run")
    .argument("<dir...>", "directories with report.json, one per shard");
  addReportOptions(command).action(mergeShards);
}

async function mergeShards(places: string[], flags: ReportFlags): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { merge } = await import("../engine/run/merge.js");
  await printResult(await merge(suite, places, readOutputOptions(flags)), flags.report, flags.details);
}
