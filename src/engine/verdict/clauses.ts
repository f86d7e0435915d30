import type { Check, Verdict } from "../execute/check.js";
import type { Dimensions } from "../scenario/dimensions.js";
import type { Ledger } from "../scenario/lint.js";
import { type DimensionCoverage, dimensionCoverageOf } from "./dimension-coverage.js";
import type { Evidence } from "./evidence.js";
import type { ScenarioEntry } from "./scenario-entry.js";

/** What the run says of one clause. `by` names the checks that judged it, or the scenarios that could not. */
export interface ClauseVerdict {
  id: string;
  level: string;
  surface: readonly string[];
  verdict: Verdict;
  subjects: number;
  by: string[];
  reason?: string;
  /** Of what it speaks, and how much of that was judged. */
  dimensions?: readonly DimensionCoverage[];
  /** What of its sentence no check can see. */
  unobservable?: string;
}

/** As much of a suite as verdicts go by. */
export interface VerdictRules {
  clauses: Ledger;
  coverage: { dimensions: Dimensions };
}

/** Worst first: the first of these that anything says of a clause is its verdict. */
const WORST_FIRST = [
  "failed",
  "harness-error",
  "inconclusive",
  "passed",
  "not-observed",
  "not-applicable",
  "informational",
] as const;

/** What one check says of a clause, or a scenario whose checks say nothing of it. */
interface ClauseOutcome {
  verdict: (typeof WORST_FIRST)[number];
  by: string;
  subjects: number;
  reason?: string | undefined;
}

/** The clauses that an examiner of servers can be asked about: asserted by the text, bound to a server, and visible. */
export function testableClauses(ledger: Ledger, surface?: string): string[] {
  return Object.entries(ledger)
    .filter(([, { level, excluded }]) => (level === "stated" || level === "derived") && excluded === undefined)
    .filter(([, clause]) => (surface ? clause.surface.includes(surface) : clause.surface.some((name) => name !== "client")))
    .map(([id]) => id);
}

/** Judges every claimed clause by all the evidence. A pass needs a subject; what was claimed and not judged is not-observed. */
export function judgeClauses(
  { clauses: ledger, coverage }: VerdictRules,
  claimed: readonly string[],
  { scenarios, checks, selection }: Pick<Evidence, "scenarios" | "checks"> & Partial<Pick<Evidence, "selection">>,
): ClauseVerdict[] {
  const unproved = selection?.missing_shards ? "no scenario of the shards that are there proves it" : "no scenario proves it";
  const known = new Map<string, ClauseOutcome[]>();
  for (const line of scenarios) {
    const own = checks.filter(({ scenario }) => scenario === line.scenario);
    for (const id of line.proves) known.set(id, [...(known.get(id) ?? []), ...outcomesOfScenario(line, own, id)]);
  }
  return claimed.map((id) => {
    const { level = "open", surface = [], over, except, unobservable } = ledger[id] ?? {};
    const judging = checks.filter(
      ({ clauses, verdict }) => clauses.includes(id) && (verdict === "passed" || verdict === "failed"),
    );
    const judgedDimensions = dimensionCoverageOf({ surface, over, except }, coverage.dimensions, judging);
    return {
      ...{ id, level, surface, ...combine(known.get(id) ?? [], unproved) },
      ...(judgedDimensions.length > 0 && { dimensions: judgedDimensions }),
      ...(unobservable !== undefined && { unobservable }),
    };
  });
}

/** What one scenario says of a clause that it claims. */
function outcomesOfScenario(line: ScenarioEntry, checks: readonly Check[], id: string): ClauseOutcome[] {
  const outcomes = checks.filter((check) => check.clauses.includes(id)).flatMap(outcomesOfCheck);
  if (outcomes.length > 0) return outcomes;
  const common = { by: line.scenario, subjects: 0 };
  return line.newer
    ? [{ ...common, verdict: "informational", reason: "only checks judge it that came after the claim" }]
    : [{ ...common, verdict: verdictWithoutChecks(line), reason: line.reason }];
}

function outcomesOfCheck({ id, verdict, subjects, reason, actual }: Check): ClauseOutcome[] {
  switch (verdict) {
    case "passed":
      return subjects > 0
        ? [{ verdict, by: id, subjects }]
        : [{ verdict: "inconclusive", by: id, subjects, reason: "nothing was judged" }];
    case "failed":
      return [{ verdict, by: id, subjects, reason: actual }];
    case "inconclusive":
    case "harness-error":
    case "not-observed":
      return [{ verdict, by: id, subjects: 0, reason }];
    case "not-applicable":
    case "informational":
    case "warned":
    case "waived":
    case "stale-waiver":
      return [];
    default:
      return verdict satisfies never;
  }
}

/** A scenario that the target or the profile leaves out says nothing; one that broke off says that. */
function verdictWithoutChecks({ verdict, outside_profile: outside }: ScenarioEntry): ClauseOutcome["verdict"] {
  if (verdict === "harness-error") return verdict;
  if (verdict === "not-applicable") return outside ? "not-applicable" : "not-observed";
  return verdict === "inconclusive" ? "inconclusive" : "not-observed";
}

function combine(
  outcomes: readonly ClauseOutcome[],
  unproved: string,
): Omit<ClauseVerdict, "id" | "level" | "surface" | "dimensions" | "unobservable"> {
  const verdict = WORST_FIRST.find((candidate) => outcomes.some((each) => each.verdict === candidate));
  if (verdict === undefined) return { verdict: "not-observed", subjects: 0, by: [], reason: unproved };
  const reason = outcomes.find((each) => each.verdict === verdict)?.reason;
  return {
    verdict: verdict === "not-observed" && outcomes.some(isAfterFailedStep) ? "inconclusive" : verdict,
    subjects: outcomes.reduce((sum, { subjects }) => sum + subjects, 0),
    by: outcomes.filter((each) => each.verdict === verdict).map(({ by }) => by),
    ...(reason !== undefined && { reason }),
  };
}

/** Whether a check was left out because an earlier one of its scenario ended it. */
function isAfterFailedStep({ verdict, by }: ClauseOutcome): boolean {
  return verdict === "not-observed" && by.includes("/");
}
