import type { Command } from "commander";
import { addReportOptions, fileForms, printResult, type ReportFlags } from "./report-forms.js";

/** `counterpart merge DIR…`: makes one report of those of the shards, and judges the whole suite by it. */
export function addMerge(program: Command): void {
  const command = program
    .command("merge")
    .description("merge the reports of shards")
    .argument("<dir...>", "directories of report.json, one a shard");
  addReportOptions(command).action(mergeShards);
}

async function mergeShards(places: string[], { report, out, signKey }: ReportFlags): Promise<void> {
  const { merge } = await import("../runner/merge.js");
  const options = { forms: fileForms(report), ...(out !== undefined && { out }), ...(signKey !== undefined && { signKey }) };
  await printResult(await merge(places, options), report);
}
