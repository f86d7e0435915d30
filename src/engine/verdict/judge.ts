import type { Check } from "../execute/check.js";
import type { Ledger } from "../scenario/lint.js";
import { applyWaivers } from "./apply-waivers.js";
import { type Cause, causesOf } from "./causes.js";
import { type ClauseVerdict, judgeClauses, testableClauses, type VerdictRules } from "./clauses.js";
import type { Evidence } from "./evidence.js";
import { type Outcome, outcomeOf } from "./outcome.js";
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
  const evidence = unscoreNewerChecks(all);
  const { selection, scenarios, checks, target, url, started_at } = evidence;
  const partial = selection.shard !== undefined || selection.missing_shards !== undefined;
  const clauses = judgeClauses(rules, claimedBy(ledger, evidence), evidence);
  const day = started_at.slice(0, 10);
  const waived = applyWaivers({ clauses, scenarios, checks }, evidence.waivers, { target, url, day, partial });
  const outcome = outcomeOf({ ...waived, selection });
  const listed = [...waived.clauses, ...(isPartial(evidence) ? [] : unclaimed(ledger, waived.clauses, evidence))];
  const causes = causesOf(waived.checks);
  return {
    exitCode: outcome.exit_code,
    report: {
      ...{ ...evidence, ...waived, clauses: listed, verdict: outcome.verdict, outcome, counts: countVerdicts(listed) },
      ...(causes.length > 0 && { causes }),
    },
  };
}

/** Returns the claimed clauses: all testable clauses in a run of the whole suite, otherwise those that the selected scenarios prove. */
function claimedBy(ledger: Ledger, evidence: Evidence): string[] {
  const proved = evidence.scenarios.flatMap(({ proves }) => proves);
  const later = new Set(evidence.claim?.newer_clauses);
  const claimed = [...(isPartial(evidence) ? [] : testableClauses(ledger, evidence.selection.surface)), ...proved];
  return [...new Set(claimed)].filter((id) => !later.has(id));
}

function isPartial({ selection }: Evidence): boolean {
  return selection.only.length > 0 || selection.shard !== undefined;
}

/** Returns the other clauses of the ledger, each with the reason why the run does not claim it. */
function unclaimed(ledger: Ledger, claimed: readonly ClauseVerdict[], { selection, claim }: Evidence): ClauseVerdict[] {
  const within = selection.surface;
  const later = new Set(claim?.newer_clauses);
  const known = new Set(claimed.map(({ id }) => id));
  return Object.entries(ledger)
    .filter(([id, { surface }]) => !known.has(id) && (within === undefined || surface.includes(within)))
    .map(([id, { level, surface, excluded }]) => {
      const common = { id, level, surface, subjects: 0, by: [] };
      if (level === "open" || level === "assumed")
        return { ...common, verdict: "informational", reason: "the contract does not define it, so no check asserts it" };
      if (later.has(id))
        return { ...common, verdict: "informational", reason: `it is newer than the claimed edition ${claim?.edition}` };
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

/** Stops checks and clauses that are newer than the claimed edition from affecting the verdict: their failures become warnings. */
function unscoreNewerChecks<Some extends Pick<Evidence, "scenarios" | "checks" | "claim">>(evidence: Some): Some {
  const newerScenarios = new Set(evidence.scenarios.flatMap((line) => (line.newer ? [line.scenario] : [])));
  const newerClauses = new Set(evidence.claim?.newer_clauses);
  const isNewerCheck = ({ scenario, clauses }: Check) =>
    newerScenarios.has(scenario) || (clauses.length > 0 && clauses.every((id) => newerClauses.has(id)));
  const newer = new Set(evidence.checks.filter(isNewerCheck));
  if (newer.size === 0 && newerScenarios.size === 0) return evidence;
  return {
    ...evidence,
    checks: evidence.checks.map((check) => (newer.has(check) ? asWarning(check) : check)),
    scenarios: evidence.scenarios.map((line) => {
      const own = evidence.checks.filter((check) => check.scenario === line.scenario && check.verdict === line.verdict);
      return line.newer || (own.length > 0 && own.every((check) => newer.has(check))) ? asWarning(line) : line;
    }),
  };
}

function asWarning<One extends { verdict: Check["verdict"] }>(one: One): One {
  if (["passed", "not-applicable", "warned"].includes(one.verdict)) return one;
  return { ...one, verdict: one.verdict === "failed" ? "warned" : "informational" };
}
