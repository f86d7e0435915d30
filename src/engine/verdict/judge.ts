import type { Check } from "../execute/check.js";
import type { Ledger } from "../scenario/lint.js";
import { applyWaivers } from "./apply-waivers.js";
import { type Cause, findCauses } from "./causes.js";
import { type ClauseVerdict, judgeClauses, listTestableClauses, type VerdictRules } from "./clauses.js";
import type { Evidence } from "./evidence.js";
import { createOutcome, type Outcome } from "./outcome.js";
import type { ScenarioEntry } from "./scenario-entry.js";
import type { WaiverEntry } from "./waivers.js";

/** The fields that judging adds to the evidence or changes in it. */
export interface Verdicts {
  verdict: Outcome["verdict"];
  /** The exit code, and the reason of the verdict in one sentence. */
  outcome: Outcome;
  /** Number of clauses with each verdict. */
  counts: Record<string, number>;
  clauses: ClauseVerdict[];
  scenarios: ScenarioEntry[];
  checks: Check[];
  waivers: WaiverEntry[];
  /** Probable causes of the findings, the largest first. Reports of earlier versions have none. */
  causes?: Cause[];
}

/** The evidence with its verdicts, and the exit code. */
export interface Judgement<Some extends Evidence> {
  report: Omit<Some, keyof Verdicts> & Verdicts;
  exitCode: Outcome["exit_code"];
}

/** Judges the evidence of a run or of its merged shards. The result depends only on the rules and the evidence. */
export function judgeEvidence<Some extends Evidence>(rules: VerdictRules, all: Some): Judgement<Some> {
  const { clauses: ledger } = rules;
  const evidence = markUnclaimedEvidence(all);
  const { selection, scenarios, checks, target, url, started_at } = evidence;
  const partial = selection.shard !== undefined || selection.missing_shards !== undefined;
  const covered = listCovered(ledger, evidence);
  const claimed = new Set(evidence.claim?.clauses ?? covered);
  const clauses = judgeClauses(
    rules,
    covered.filter((id) => claimed.has(id)),
    evidence,
  ).map((clause) => (evidence.claim ? keepClaimed(clause) : clause));
  const day = started_at.slice(0, 10);
  const waived = applyWaivers({ clauses, scenarios, checks }, evidence.waivers, { target, url, day, partial });
  const outcome = createOutcome({ ...waived, selection, claim: evidence.claim });
  const outside = judgeClauses(
    rules,
    covered.filter((id) => !claimed.has(id)),
    all,
  ).map(markUnclaimed);
  const clauseVerdicts = [...waived.clauses, ...outside];
  const listedClauseVerdicts = [
    ...clauseVerdicts,
    ...(isPartial(evidence) ? [] : listUntestable(ledger, clauseVerdicts, evidence)),
  ];
  const unjudgedClauses = new Set(listedClauseVerdicts.flatMap(({ id, verdict }) => (verdict === "inconclusive" ? [id] : [])));
  const causes = findCauses(waived.checks).map((cause) => ({
    ...cause,
    clauses: cause.clauses.filter((id) => !unjudgedClauses.has(id)),
  }));
  return {
    exitCode: outcome.exit_code,
    report: {
      ...{
        ...evidence,
        ...waived,
        clauses: listedClauseVerdicts,
        verdict: outcome.verdict,
        outcome,
        counts: countVerdicts(listedClauseVerdicts),
      },
      ...(causes.length > 0 && { causes }),
    },
  };
}

/** Returns the clauses of a run: all testable clauses in a run of the whole suite, otherwise those that the selected scenarios prove. */
function listCovered(ledger: Ledger, evidence: Evidence): string[] {
  const proved = evidence.scenarios.flatMap(({ proves }) => proves);
  return [...new Set([...(isPartial(evidence) ? [] : listTestableClauses(ledger, evidence.selection.surface)), ...proved])];
}

/** Returns the verdict of a claimed clause. It must be judged, so it is not observed where the means are missing. */
function keepClaimed({ missing: _, ...clause }: ClauseVerdict): ClauseVerdict {
  return clause.verdict === "not-applicable" ? { ...clause, verdict: "not-observed" } : clause;
}

/** Returns the verdict of a clause outside the claim: a warning for a failure, otherwise information. */
function markUnclaimed({ missing: _, ...clause }: ClauseVerdict): ClauseVerdict {
  const { verdict, reason } = clause;
  const why = `outside the claim: ${verdict}${reason === undefined ? "" : `: ${reason}`}`;
  return { ...clause, verdict: verdict === "failed" ? "warned" : "informational", reason: why };
}

function isPartial({ selection }: Evidence): boolean {
  return selection.only.length > 0 || selection.shard !== undefined;
}

/** Returns the other clauses of the ledger, each with the reason why the run does not test it. */
function listUntestable(ledger: Ledger, clauseVerdicts: readonly ClauseVerdict[], { selection }: Evidence): ClauseVerdict[] {
  const within = selection.surface;
  const known = new Set(clauseVerdicts.map(({ id }) => id));
  return Object.entries(ledger)
    .filter(([id, { surface }]) => !known.has(id) && (within === undefined || surface.includes(within)))
    .map(([id, { level, surface, excluded }]) => {
      const common = { id, level, surface, subjects: 0, by: [] };
      if (level === "open" || level === "assumed")
        return { ...common, verdict: "informational", reason: "the contract does not define it, so no check asserts it" };
      return {
        ...common,
        verdict: "not-applicable",
        reason: excluded ?? "it binds clients, so a run against a server cannot test it",
      };
    });
}

function countVerdicts(clauses: readonly ClauseVerdict[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verdict } of clauses) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

/** Stops checks outside the claim, and those that are newer than its edition, from affecting the verdict: their failures become warnings. */
export function markUnclaimedEvidence<Some extends Pick<Evidence, "scenarios" | "checks" | "claim">>(evidence: Some): Some {
  const { claim, scenarios, checks } = evidence;
  const claimed = claim && new Set(claim.clauses);
  const isOutside = (ids: readonly string[]) => claimed !== undefined && ids.length > 0 && !ids.some((id) => claimed.has(id));
  const judged = new Map<string, readonly string[]>(scenarios.map(({ scenario, proves }) => [scenario, proves]));
  for (const { scenario, clauses } of checks) judged.set(scenario, [...(judged.get(scenario) ?? []), ...clauses]);
  const ignored = new Set(
    scenarios.flatMap(({ scenario, newer }) => (newer || isOutside(judged.get(scenario) ?? []) ? [scenario] : [])),
  );
  const ignoredChecks = new Set(checks.filter(({ scenario, clauses }) => ignored.has(scenario) || isOutside(clauses)));
  if (ignoredChecks.size === 0 && ignored.size === 0) return evidence;
  return {
    ...evidence,
    checks: checks.map((check) => (ignoredChecks.has(check) ? makeWarning(check) : check)),
    scenarios: scenarios.map((line) => {
      const ownChecks = checks.filter((check) => check.scenario === line.scenario && check.verdict === line.verdict);
      return ignored.has(line.scenario) || (ownChecks.length > 0 && ownChecks.every((check) => ignoredChecks.has(check)))
        ? makeWarning(line)
        : line;
    }),
  };
}

function makeWarning<One extends { verdict: Check["verdict"] }>(one: One): One {
  if (["passed", "not-applicable", "warned"].includes(one.verdict)) return one;
  return { ...one, verdict: one.verdict === "failed" ? "warned" : "informational" };
}
