import { join } from "node:path";
import { type Command, Option } from "commander";
import { type CommandOutcome, createOutcome, outcomes } from "../common/outcomes.js";
import type { PublishedRun } from "../engine/report/results.js";
import { printLines } from "./output.js";
import { endProcess, stop } from "./run.js";

interface Flags {
  out: string;
  publicKey?: string;
}

const EXIT_CODES = `
Exit codes (a failed run can be published, so they are about the bundles):
  0  every bundle is verified, or unchanged and judged by another version of the suite; the page tells them apart
  1  a bundle was changed after its run; the page names it
  2  bad input; no page is written
  3  a bundle could not be verified; the page names it`;

/** Adds `counterpart publish DIR…`, which writes a page with the results of several runs. */
export function addPublish(program: Command): void {
  program
    .command("publish")
    .description("verify the bundles of several runs and write a page of their results over time")
    .argument("<dir...>", "directories of runs (verify --out)")
    .addOption(new Option("--out <dir>", "directory for index.html").default("counterpart-results"))
    .addOption(new Option("--public-key <file>", "public key (PEM) that must verify the signature of every bundle"))
    .addHelpText("after", EXIT_CODES)
    .action(publish);
}

async function publish(bundles: string[], { out, publicKey }: Flags): Promise<void> {
  const { suite } = await import("../suite/suite.js");
  const { publishResults, RESULTS_FILE } = await import("../engine/run/publish.js");
  const publishResult = await publishResults(suite, { bundles, out, ...(publicKey !== undefined && { publicKey }) });
  if (!publishResult.ok) return stop(publishResult.mistake);
  const { runs } = publishResult;
  const outcome = computeOutcome(runs);
  printLines(...runs.map(runLine), `page: ${join(out, RESULTS_FILE)}`, outcome.sentence);
  endProcess(outcome, true);
}

function computeOutcome(runs: readonly PublishedRun[]): CommandOutcome {
  const count = (state: PublishedRun["state"]) => runs.filter((run) => run.state === state).length;
  if (count("changed") > 0) return createOutcome(outcomes.publish.changed, { count: count("changed") });
  if (count("not-verified") > 0) return createOutcome(outcomes.publish["not-verified"], { count: count("not-verified") });
  if (count("other-suite") > 0) return createOutcome(outcomes.publish["other-suite"], { count: count("other-suite") });
  return createOutcome(outcomes.publish.verified, {});
}

function runLine({ place, state, report, messages }: PublishedRun): string {
  if (!report) return `${state}: ${place}: ${messages.join("; ")}`;
  const { target, server_version, started_at, verdict, outcome, suite } = report;
  const run = [target, server_version ?? "no version", started_at.slice(0, 10)].join(", ");
  if (state === "other-suite")
    return `not judged again: ${place}: ${run}: judged by suite ${suite.version}; its report says: ${outcome.sentence}`;
  return `${state}: ${place}: ${run}: ${verdict}: ${outcome.sentence}`;
}
