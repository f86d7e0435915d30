import type { Report } from "./report.js";
import type { ConformingServers, KillRate, MutantOutcomes, OperatorQuality } from "./suite-identity.js";

/** The fields of a report that decide which quality figures apply to the run. */
export type MeasuredRun = Pick<Report, "suite" | "profile" | "hooks" | "selection" | "scenarios">;

/** Returns the kill rate measured in runs of the same kind; undefined if none was measured or the run covered only a part of the suite. */
export function getKillRateFor({ suite: { quality }, profile, hooks, selection, scenarios }: MeasuredRun): KillRate | undefined {
  const { only, surface, shard, missing_shards: missing = [] } = selection;
  const isNarrowed = only.length > 0 || surface !== undefined || shard !== undefined || missing.length > 0;
  const isIncomplete = scenarios.some(({ verdict }) => verdict === "not-observed");
  if (isNarrowed || isIncomplete) return undefined;
  return quality?.rates.find((rate) => rate.profile === profile && rate.hooks === hooks);
}

/** Describes the quality of the suite for this kind of run in one line. Returns an empty text if this version of the suite was not measured. */
export function formatQualityLine(report: MeasuredRun): string {
  const { quality } = report.suite;
  if (!quality) return "";
  const rate = getKillRateFor(report);
  if (!rate) return "suite quality: not measured for this kind of run";
  // the other figures were measured with the complete suite
  const isFull = rate.profile === "full" && rate.hooks === "all-hooks";
  const others = isFull
    ? [formatConformingServers(quality.conforming), ...(quality.operators ? [formatOperatorMutants(quality.operators)] : [])]
    : [];
  return [`suite quality: ${formatKillRateText(rate)}`, ...others].join("; ");
}

/** Describes a kill rate and the conditions under which it was measured. */
export function formatKillRateText(rate: KillRate): string {
  const { profile, hooks, drawn, mutants_in_all: all, seed, cases, max_wait_s: wait, killed_by_own_clause: own } = rate;
  const kind = `profile ${profile} ${hooks === "all-hooks" ? "with all hooks" : "without hooks"}`;
  const sample = drawn < all ? ` (drawn from ${all}, seed ${seed})` : ` (all; seed ${seed})`;
  const waits = wait === undefined ? "" : `, waits of at most ${wait} s`;
  const survived = drawn - rate.killed_by_verdict - rate.timeout - rate.crash - rate.inconclusive;
  return `${kind}, ${cases} cases per property${waits}: of ${drawn} mutants${sample} ${formatMutantOutcomes(rate)}, ${survived} survived; ${own} fail the clause that they break`;
}

/** Describes how many mutants had each outcome. */
export function formatMutantOutcomes({ killed_by_verdict: killed, timeout, crash, inconclusive }: MutantOutcomes): string {
  return `${killed} killed by a verdict, ${timeout} by timeout, ${crash} by crash, ${inconclusive} inconclusive`;
}

/** Describes how many conforming servers the suite flagged (false alarms). */
export function formatConformingServers({ servers, flagged, part, cases, seed }: ConformingServers): string {
  const what = part === "whole" ? "the whole suite" : "a quarter of the suite";
  return `${flagged} of ${servers} conforming servers flagged (${what}, ${cases} cases per property, seed ${seed})`;
}

function formatOperatorMutants(operators: OperatorQuality): string {
  return `of ${operators.drawn} operator mutants (seed ${operators.seed}) ${formatMutantOutcomes(operators)}, ${operators.unexplained} of the rest unexplained`;
}
