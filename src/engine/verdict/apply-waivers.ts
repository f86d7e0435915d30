import type { Check } from "../execute/check.js";
import { findCauses } from "./causes.js";
import type { ClauseVerdict } from "./clauses.js";
import { type Explanations, findExplanations } from "./explanations.js";
import type { ScenarioEntry } from "./scenario-entry.js";
import type { Waiver, WaiverEntry } from "./waivers.js";

/** The verdicts that waivers change. */
interface WaivableVerdicts {
  clauses: readonly ClauseVerdict[];
  scenarios: readonly ScenarioEntry[];
  checks: readonly Check[];
}

/** The run to which waivers apply. `day`: its date, such as `2026-12-31`; `partial`: whether it is a shard or lacks shards. */
interface WaiverContext {
  target: string;
  url: string;
  day: string;
  partial: boolean;
}

/**
 * Applies waivers: a waived failure becomes `waived`, and a waived pass becomes `stale-waiver`. In a partial run no waiver is stale, because its
 * clause may fail in another part.
 */
export function applyWaivers(
  { clauses, scenarios, checks }: WaivableVerdicts,
  waivers: readonly Waiver[],
  run: WaiverContext,
): { clauses: ClauseVerdict[]; scenarios: ScenarioEntry[]; checks: Check[]; waivers: WaiverEntry[] } {
  const lines = waivers.map((waiver) => ({ ...waiver, state: computeWaiverState(waiver, clauses, run) }));
  const explanations = findExplanations(checks);
  const isExplained = ({ id }: Check) => [...explanations.keys()].some((check) => check.id === id);
  const changedChecks = waiveBlockedChecks(checks.map((check) => waiveCheck(check, lines, explanations)));
  const blockedIds = new Set(
    changedChecks.filter((check) => isWaivedAsBlocked(check) || (check.before_waiver && isExplained(check))).map(({ id }) => id),
  );
  return {
    clauses: clauses.map((clause) => waiveUnjudged(waiveClause(clause, lines), blockedIds)),
    scenarios: scenarios.map((scenario) => waiveScenario(scenario, changedChecks)),
    checks: changedChecks,
    waivers: lines,
  };
}

/** Returns the waivers that can have no effect on a run: they have expired, or are for another target. */
export function listInactiveWaivers(waivers: readonly Waiver[], run: Omit<WaiverContext, "partial">): WaiverEntry[] {
  const entries = waivers.map((waiver) => ({ ...waiver, state: computeWaiverState(waiver, [], { ...run, partial: true }) }));
  return entries.filter(({ state }) => state !== "unused");
}

/** Restores the verdicts that scenarios and checks had before waivers were applied. */
export function removeWaivers({ scenarios, checks }: Pick<WaivableVerdicts, "scenarios" | "checks">): {
  scenarios: ScenarioEntry[];
  checks: Check[];
} {
  return { scenarios: scenarios.map(restore), checks: checks.map(restore) };
}

/** Returns a waived entry with the verdict and reason that it had before, and any other entry as it is. */
function restore<One extends ScenarioEntry | Check>(one: One): One {
  const { before_waiver: before, reason: _, ...rest } = one;
  return before ? ({ ...rest, ...before } as One) : one;
}

/** Returns an entry with the verdict `waived`, which keeps the verdict and reason that it had before. */
function waive<One extends ScenarioEntry | Check>(one: One, reason: string | undefined): One {
  const { verdict, reason: own } = one;
  const before_waiver = { verdict, ...(own !== undefined && { reason: own }) };
  return { ...one, verdict: "waived", ...(reason !== undefined && { reason }), before_waiver };
}

function computeWaiverState(
  waiver: Waiver,
  clauses: readonly ClauseVerdict[],
  { target, url, day, partial }: WaiverContext,
): WaiverEntry["state"] {
  if (waiver.target !== target && waiver.target !== url) return "other-target";
  if (waiver.expires < day) return "expired";
  const verdict = clauses.find(({ id }) => id === waiver.clause)?.verdict;
  if (verdict === "failed") return "used";
  return verdict === "passed" && !partial ? "stale" : "unused";
}

function waiveClause(clause: ClauseVerdict, waivers: readonly WaiverEntry[]): ClauseVerdict {
  const { id, verdict, reason = "it fails" } = clause;
  const find = (state: WaiverEntry["state"]) => waivers.find((waiver) => waiver.clause === id && waiver.state === state);
  const [used, stale, expired] = [find("used"), find("stale"), find("expired")];
  if (used) return { ...clause, verdict: "waived", reason: `${formatWaiver(used)}; ${reason}` };
  if (stale) return { ...clause, verdict: "stale-waiver", reason: `the clause passes: remove its waiver (${stale.ticket})` };
  return expired && verdict === "failed" ? { ...clause, reason: `${reason}; ${formatWaiver(expired)}` } : clause;
}

/** Waives a clause that could not be judged only because of waived failures. */
function waiveUnjudged(clause: ClauseVerdict, blockedIds: ReadonlySet<string>): ClauseVerdict {
  const isOpen = clause.verdict === "inconclusive" || clause.verdict === "not-observed";
  if (!isOpen || clause.by.length === 0 || !clause.by.every((id) => blockedIds.has(id))) return clause;
  return { ...clause, verdict: "waived", reason: `waived failures block its checks; ${clause.reason ?? "it was not judged"}` };
}

/** Waives a failed check if every clause that it breaks is waived. A check that breaks none is waived with the check that explains it. */
function waiveCheck(check: Check, waivers: readonly WaiverEntry[], explanations: Explanations): Check {
  const explanation = explanations.get(check);
  const broken = check.clauses.filter((id) => !explanation?.clauses.has(id));
  if (explanation && broken.length === 0) {
    const by = waiveCheck(explanation.by, waivers, explanations);
    return by.verdict === "waived" ? waive(check, by.reason) : check;
  }
  const waiverEntries = broken.flatMap((id) => waivers.find(({ clause, state }) => clause === id && state === "used") ?? []);
  const isWaived = check.verdict === "failed" && waiverEntries.length > 0 && waiverEntries.length === broken.length;
  return isWaived ? waive(check, waiverEntries.map(formatWaiver).join("; ")) : check;
}

/** Waives a scenario if all its failures are waived, or if only waived failures blocked its checks. */
function waiveScenario(scenario: ScenarioEntry, checks: readonly Check[]): ScenarioEntry {
  if (scenario.verdict !== "failed" && scenario.verdict !== "inconclusive") return scenario;
  const ownChecks = checks.filter((check) => check.scenario === scenario.scenario);
  const remains = ownChecks.some(({ verdict }) => verdict === scenario.verdict);
  return remains || !ownChecks.some(({ verdict }) => verdict === "waived") ? scenario : waive(scenario, scenario.reason);
}

function formatWaiver({ reason, ticket, expires, state }: WaiverEntry): string {
  return state === "expired" ? `its waiver (${ticket}) expired on ${expires}` : `waived until ${expires}: ${reason} (${ticket})`;
}

/** Waives the checks that could not be judged only because of waived failures. */
function waiveBlockedChecks(checks: readonly Check[]): Check[] {
  const onlyWaived = checks.map((check): Check => {
    if (check.verdict === "waived") return { ...check, verdict: "failed" };
    return check.verdict === "failed" ? { ...check, verdict: "informational" } : check;
  });
  const blocked = new Set(findCauses(onlyWaived).flatMap(({ unjudged }) => unjudged));
  return checks.map((check) =>
    blocked.has(check.id) ? waive(check, `blocked by a waived failure: ${check.reason ?? "it was not judged"}`) : check,
  );
}

/** Returns whether a check is waived because a waived failure blocks it. */
function isWaivedAsBlocked({ before_waiver: before }: Check): boolean {
  return before !== undefined && before.verdict !== "failed";
}
