import { exitCodes, type OutcomeRow } from "../../common/outcomes.js";
import { formatCount, formatShortList } from "../../common/phrases.js";
import { type Check, isByChoice, type Verdict } from "../execute/check.js";
import { findBlockingCheck } from "./blocking-check.js";
import type { Claim } from "./claim.js";
import type { ClauseVerdict } from "./clauses.js";
import type { RunSelection } from "./evidence.js";
import type { ScenarioEntry } from "./scenario-entry.js";
import type { WaiverEntry } from "./waivers.js";

const MAX_ITEMS = 5;
const MAX_NAMES = 20;

/** The outcome of a judged run. All report forms and the last line of the run contain `sentence`. */
export interface Outcome {
  verdict: "passed" | "failed" | "inconclusive" | "harness-error";
  exit_code: 0 | 1 | 3 | 4;
  reason: OutcomeReason;
  sentence: string;
}

/** The name of the reason for an outcome. */
export type OutcomeReason = keyof typeof REASONS;

/** The facts that decide the outcome of a run, after waivers are applied. */
export interface OutcomeFacts {
  clauses: readonly ClauseVerdict[];
  scenarios: readonly ScenarioEntry[];
  checks: readonly Check[];
  waivers: readonly WaiverEntry[];
  selection: Pick<RunSelection, "missing_shards">;
  claim?: Claim | undefined;
}

interface Counts {
  /** Number of claimed clauses. `broken`: those that failed; `unjudged`: those that were not judged. */
  clauses: number;
  broken: number;
  unjudged: number;
  /** Names of the broken and of the unjudged clauses, if the run claims some clauses. */
  names?: { broken: readonly string[]; unjudged: readonly string[] };
  /** Number of claimed clauses that no selected check judges. */
  unselected: number;
  passed: number;
  waived: number;
  stale: number;
  scenarios: number;
  failedScenarios: number;
  /** Number of scenarios without a verdict. Omits those that only legal choices of the server left open: their clauses decide. */
  unjudgedScenarios: number;
  /** Number of scenarios, or clauses if no scenario, in which the runner failed. */
  faulty: number;
  missing: readonly number[];
  /** Number of further clauses that need items that are missing, and how many of them need each item. */
  lacking: number;
  needs: ReadonlyMap<string, number>;
  /** Number of broken clauses with an expired waiver. `otherTarget`: those with a waiver for another target. */
  expired: number;
  otherTarget: number;
}

interface Reason extends OutcomeRow<Counts> {
  verdict: Outcome["verdict"];
  holds(counts: Counts): boolean;
}

/** All reasons by precedence: findings, then failures of the runner, then unjudged clauses. */
const REASONS = {
  findings: {
    verdict: "failed",
    holds: ({ broken }) => broken > 0,
    sentence: (counts) =>
      `${formatOfClauses(counts.broken, counts)} broken${formatNames(counts.names?.broken)}${formatIneffective(counts)}${formatStale(counts)}${formatMissing(counts)}.`,
  },
  "findings-without-clause": {
    verdict: "failed",
    holds: ({ failedScenarios }) => failedScenarios > 0,
    sentence: (counts) =>
      `No ${nameKind(counts.names)} is broken, but ${formatCount(counts.failedScenarios, "scenario")} failed${formatStale(counts)}${formatMissing(counts)}.`,
  },
  "stale-waivers": {
    verdict: "failed",
    holds: ({ stale }) => stale > 0,
    sentence: (counts) => `No clause is broken, but ${formatStaleWaivers(counts)}${formatMissing(counts)}.`,
  },
  "runner-fault": {
    verdict: "harness-error",
    holds: ({ faulty }) => faulty > 0,
    sentence: (counts) =>
      `No clause is broken, but the runner itself failed ${formatCount(counts.faulty, "time")}${formatMissing(counts)}.`,
  },
  "missing-shards": {
    verdict: "inconclusive",
    holds: ({ missing }) => missing.length > 0,
    sentence: (counts) =>
      `No clause is broken, but ${formatShards(counts)} missing${counts.unjudged > 0 ? `, and ${formatOfClauses(counts.unjudged, counts)} not judged` : ""}${needsNote(counts)}.`,
  },
  "clauses-unjudged": {
    verdict: "inconclusive",
    holds: ({ unjudged }) => unjudged > 0,
    sentence: (counts) =>
      `No clause is broken, but ${formatOfClauses(counts.unjudged, counts)} not judged${formatNames(counts.names?.unjudged)}${needsNote(counts)}.`,
  },
  "scenarios-unjudged": {
    verdict: "inconclusive",
    holds: ({ unjudgedScenarios }) => unjudgedScenarios > 0,
    sentence: ({ unjudgedScenarios: count, scenarios }) =>
      `No clause is broken, but ${scenarios === 1 ? "the only scenario" : `${count} of ${scenarios} scenarios`} could not be judged.`,
  },
  "nothing-claimed": {
    verdict: "inconclusive",
    holds: ({ passed, waived }) => passed + waived === 0,
    sentence: (counts) => `Nothing was judged: no clause applies to this run${needsNote(counts)}.`,
  },
  "passed-with-waivers": {
    verdict: "passed",
    holds: ({ waived }) => waived > 0,
    sentence: (counts) =>
      `No clause is broken without a waiver; ${formatOfClauses(counts.waived, counts)} waived${needsNote(counts)}.`,
  },
  "passed-in-part": {
    verdict: "passed",
    holds: ({ lacking }) => lacking > 0,
    sentence: (counts) => {
      const { clauses, lacking } = counts;
      return `Conforms as far as ${clauses} of ${clauses + lacking} clauses could be judged${needsNote(counts)}.`;
    },
  },
  passed: {
    verdict: "passed",
    holds: () => true,
    sentence: ({ clauses, names, unselected }) =>
      `${clauses === 1 ? `The one ${nameKind(names)}` : `All ${clauses} ${nameKind(names)}s`}${unselected > 0 ? " of this selection" : ""} passed${unselected > 0 ? `; the claim has ${unselected} more` : ""}.`,
  },
} as const satisfies Record<string, Reason>;

/** Names of all reasons. */
export const outcomeReasons = Object.keys(REASONS) as OutcomeReason[];

/** Derives the outcome of a run from its judged clauses, scenarios and waivers. */
export function createOutcome(facts: OutcomeFacts): Outcome {
  const counts = countVerdicts(facts);
  const reason = outcomeReasons.find((name) => REASONS[name].holds(counts)) ?? "passed";
  const { verdict, sentence } = REASONS[reason];
  const text = sentence(counts);
  return { verdict, exit_code: exitCodes[verdict], reason, sentence: text.charAt(0).toUpperCase() + text.slice(1) };
}

function countVerdicts({ clauses, scenarios, checks, waivers, selection, claim }: OutcomeFacts): Counts {
  const getClausesWith = (...verdicts: Verdict[]) => clauses.filter(({ verdict }) => verdicts.includes(verdict));
  const getScenariosWith = (...verdicts: Verdict[]) => scenarios.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const isOpen = ({ verdict }: Check | ScenarioEntry) => verdict === "inconclusive" || verdict === "not-observed";
  const failedClauses = getClausesWith("failed");
  const unjudgedClauses = getClausesWith("inconclusive", "not-observed");
  const lacking = getClausesWith("not-applicable").filter(({ missing }) => missing);
  const ineffectiveWaivers = (state: WaiverEntry["state"]) =>
    failedClauses.filter(({ id }) => waivers.some((waiver) => waiver.clause === id && waiver.state === state)).length;
  return {
    clauses: clauses.length - getClausesWith("not-applicable", "informational").length,
    broken: failedClauses.length,
    unjudged: unjudgedClauses.length,
    ...(claim && { names: { broken: failedClauses.map(({ id }) => id), unjudged: unjudgedClauses.map(({ id }) => id) } }),
    unselected: claim?.clauses.filter((id) => !clauses.some((clause) => clause.id === id)).length ?? 0,
    passed: getClausesWith("passed").length + getScenariosWith("passed"),
    waived: getClausesWith("waived").length,
    stale: getClausesWith("stale-waiver").length,
    scenarios: scenarios.length,
    failedScenarios: getScenariosWith("failed"),
    unjudgedScenarios: scenarios.filter(
      (line) =>
        isOpen(line) &&
        !isLeftByChoice(
          checks.filter((check) => check.scenario === line.scenario && isOpen(check)),
          checks,
        ),
    ).length,
    faulty: getScenariosWith("harness-error") || getClausesWith("harness-error").length,
    missing: selection.missing_shards ?? [],
    lacking: lacking.length,
    needs: groupCounts(lacking),
    expired: ineffectiveWaivers("expired"),
    otherTarget: ineffectiveWaivers("other-target"),
  };
}

/** Returns whether only legal choices of the server left the checks of a scenario open, so that its clauses decide. */
function isLeftByChoice(openChecks: readonly Check[], checks: readonly Check[]): boolean {
  const hasClause = openChecks.some((check) => check.clauses.length > 0);
  return hasClause && openChecks.every((check) => isByChoice(findBlockingCheck(checks, check)));
}

function groupCounts(clauses: readonly ClauseVerdict[]): Map<string, number> {
  const needs = new Map<string, number>();
  for (const item of clauses.flatMap(({ missing = [] }) => missing)) needs.set(item, (needs.get(item) ?? 0) + 1);
  return needs;
}

/** Names the items that further clauses need, with the number of these clauses: `; 270 need: drive.find (80), worlds (12)`. */
function needsNote({ lacking, needs }: Counts): string {
  const items = [...needs].toSorted(([, a], [, b]) => b - a).map(([item, count]) => `${item} (${count})`);
  return lacking === 0 ? "" : `; ${lacking} need: ${formatShortList(items, MAX_ITEMS)}`;
}

/** Formats a number of clauses with a verb: `2 of 5 clauses are`, `the only clause is`. */
function formatOfClauses(count: number, { clauses, names }: Counts): string {
  if (clauses === 1) return "the only clause is";
  return `${count} of ${clauses} ${nameKind(names)}s ${count === 1 ? "is" : "are"}`;
}

/** Returns the word for a clause that the run judges by. `names`: absent without a claim. */
function nameKind(names: Counts["names"]): string {
  return names ? "claimed clause" : "clause";
}

/** Names clauses: `: A, B and 3 more`. */
function formatNames(ids: readonly string[] = []): string {
  return ids.length === 0 ? "" : `: ${formatShortList(ids, MAX_NAMES)}`;
}

/** Explains why waivers of broken clauses have no effect. */
function formatIneffective({ expired, otherTarget }: Counts): string {
  const why = [
    ...(expired > 0 ? [`the waiver of ${expired} has expired`] : []),
    ...(otherTarget > 0 ? [`the waiver of ${otherTarget} is for another target`] : []),
  ];
  return why.length === 0 ? "" : `; ${why.join(", ")}`;
}

function formatStaleWaivers({ stale }: Counts): string {
  return stale === 1 ? "1 waiver is stale: its clause passes" : `${stale} waivers are stale: their clauses pass`;
}

function formatStale(counts: Counts): string {
  return counts.stale > 0 ? `; ${formatStaleWaivers(counts)}` : "";
}

function formatMissing(counts: Counts): string {
  return counts.missing.length > 0 ? `; ${formatShards(counts)} missing` : "";
}

function formatShards({ missing }: Counts): string {
  return missing.length === 1 ? `the report of shard ${missing[0]} is` : `the reports of shards ${missing.join(", ")} are`;
}
