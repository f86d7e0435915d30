import type { Report } from "./report.js";
import type { ConformingServers, Ends, KillRate, OperatorQuality } from "./suite-identity.js";

/** What the choice of a figure depends on. */
export type RunFacts = Pick<Report, "suite" | "profile" | "hooks" | "selection" | "scenarios">;

/** Returns the rate that was measured in runs of the same kind; undefined where there is none, or where the run covered a part of the suite. */
export function rateOf({ suite: { quality }, profile, hooks, selection, scenarios }: RunFacts): KillRate | undefined {
  const { only, surface, shard, missing_shards: missing = [] } = selection;
  const isNarrowed = only.length > 0 || surface !== undefined || shard !== undefined || missing.length > 0;
  const isCut = scenarios.some(({ verdict }) => verdict === "not-observed");
  if (isNarrowed || isCut) return undefined;
  return quality?.rates.find((rate) => rate.profile === profile && rate.hooks === hooks);
}

/** Returns the figures for this kind of run in a line; empty where this state of the suite was not measured. */
export function qualityLine(report: RunFacts): string {
  const { quality } = report.suite;
  if (!quality) return "";
  const rate = rateOf(report);
  if (!rate) return "suite quality: no rate was measured for this kind of run";
  // the other figures were measured with all of the suite that a server can meet
  const isFull = rate.profile === "full" && rate.hooks === "all-hooks";
  const others = isFull ? [inConforming(quality.conforming), ...(quality.operators ? [inOperators(quality.operators)] : [])] : [];
  return [`suite quality: ${rateInWords(rate)}`, ...others].join("; ");
}

/** Returns a rate with all that it depends on. */
export function rateInWords(rate: KillRate): string {
  const { profile, hooks, drawn, mutants_in_all: all, seed, cases, max_wait_s: wait, killed_by_own_clause: own } = rate;
  const kind = `profile ${profile} ${hooks === "all-hooks" ? "with all hooks" : "without hooks"}`;
  const sample = drawn < all ? ` (drawn from ${all}, seed ${seed})` : ` (all; seed ${seed})`;
  const waits = wait === undefined ? "" : `, waits of at most ${wait} s`;
  const survived = drawn - rate.killed_by_verdict - rate.timeout - rate.crash - rate.inconclusive;
  return `${kind}, ${cases} cases a property${waits}: of ${drawn} mutants${sample} ${endsInWords(rate)}, ${survived} survived; ${own} fail the clause they break`;
}

/** Returns how mutants ended, each end by itself. */
export function endsInWords({ killed_by_verdict: killed, timeout, crash, inconclusive }: Ends): string {
  return `${killed} killed by a verdict, ${timeout} by timeout, ${crash} by crash, ${inconclusive} inconclusive`;
}

/** Returns how many conforming servers were flagged, and what each of them met. */
export function inConforming({ servers, flagged, part, cases, seed }: ConformingServers): string {
  const what = part === "whole" ? "the whole suite" : "a quarter of the suite";
  return `${flagged} of ${servers} conforming servers flagged (${what}, ${cases} cases a property, seed ${seed})`;
}

function inOperators(operators: OperatorQuality): string {
  return `of ${operators.drawn} operator mutants (seed ${operators.seed}) ${endsInWords(operators)}, ${operators.unexplained} of the rest unexplained`;
}
