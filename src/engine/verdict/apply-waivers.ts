import type { Check } from "../execute/check.js";
import { isWaivedAsBlocked, restoreBlockedCheck, waiveBlockedChecks } from "./blocked-checks.js";
import type { ClauseVerdict } from "./clauses.js";
import type { ScenarioEntry } from "./scenario-entry.js";
import type { Waiver, WaiverEntry } from "./waivers.js";

/** The verdicts that waivers change. */
interface WaivableVerdicts {
  clauses: readonly ClauseVerdict[];
  scenarios: readonly ScenarioEntry[];
  checks: readonly Check[];
}

/** Which run is judged: on which target, on which day (`2026-12-31`), and whether it is but a part of one. */
interface WaiverContext {
  target: string;
  url: string;
  day: string;
  partial: boolean;
}

/**
 * Turns failures that are waived into `waived`, and passes that are waived into `stale-waiver`. Part of a run cannot tell that a waiver
 * is stale: the clause may fail in another.
 */
export function applyWaivers(
  { clauses, scenarios, checks }: WaivableVerdicts,
  waivers: readonly Waiver[],
  run: WaiverContext,
): { clauses: ClauseVerdict[]; scenarios: ScenarioEntry[]; checks: Check[]; waivers: WaiverEntry[] } {
  const lines = waivers.map((waiver) => ({ ...waiver, state: stateOf(waiver, clauses, run) }));
  const changed = waiveBlockedChecks(checks.map((check) => waiveCheck(check, lines)));
  const followers = new Set(changed.filter(isWaivedAsBlocked).map(({ id }) => id));
  return {
    clauses: clauses.map((clause) => waiveUnjudged(waiveClause(clause, lines), followers)),
    scenarios: scenarios.map((scenario) => waiveScenario(scenario, changed)),
    checks: changed,
    waivers: lines,
  };
}

/** Scenarios and checks as they were before waivers, to be judged anew. */
export function withoutWaivers({ scenarios, checks }: Pick<WaivableVerdicts, "scenarios" | "checks">): {
  scenarios: ScenarioEntry[];
  checks: Check[];
} {
  return {
    scenarios: scenarios.map((line) => (line.verdict === "waived" ? { ...line, verdict: verdictBefore(line, checks) } : line)),
    checks: checks.map((check) => {
      if (isWaivedAsBlocked(check)) return restoreBlockedCheck(check);
      const { reason: _, ...failed } = check;
      return check.verdict === "waived" ? { ...failed, verdict: "failed" } : check;
    }),
  };
}

function verdictBefore({ scenario }: ScenarioEntry, checks: readonly Check[]): "failed" | "inconclusive" {
  const own = checks.filter((check) => check.scenario === scenario && check.verdict === "waived");
  return own.every(isWaivedAsBlocked) ? "inconclusive" : "failed";
}

function stateOf(
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
  if (used) return { ...clause, verdict: "waived", reason: `${inWords(used)}; ${reason}` };
  if (stale) return { ...clause, verdict: "stale-waiver", reason: `it passes: take away the waiver (${stale.ticket})` };
  return expired && verdict === "failed" ? { ...clause, reason: `${reason}; ${inWords(expired)}` } : clause;
}

/** A clause that could not be judged for what is waived, and for nothing else, is waived too. */
function waiveUnjudged(clause: ClauseVerdict, followers: ReadonlySet<string>): ClauseVerdict {
  const isOpen = clause.verdict === "inconclusive" || clause.verdict === "not-observed";
  if (!isOpen || clause.by.length === 0 || !clause.by.every((id) => followers.has(id))) return clause;
  return { ...clause, verdict: "waived", reason: `what is waived lies in the way; ${clause.reason ?? "it was not judged"}` };
}

/** A failed check is waived when each clause that it blames is. */
function waiveCheck(check: Check, waivers: readonly WaiverEntry[]): Check {
  const used = check.clauses.flatMap((id) => waivers.find(({ clause, state }) => clause === id && state === "used") ?? []);
  const waived = check.verdict === "failed" && used.length > 0 && used.length === check.clauses.length;
  return waived ? { ...check, verdict: "waived", reason: used.map(inWords).join("; ") } : check;
}

/** A scenario all of whose failures are waived is waived too, and so is one that only such failures left unjudged. */
function waiveScenario(scenario: ScenarioEntry, checks: readonly Check[]): ScenarioEntry {
  if (scenario.verdict !== "failed" && scenario.verdict !== "inconclusive") return scenario;
  const own = checks.filter((check) => check.scenario === scenario.scenario);
  const left = own.some(({ verdict }) => verdict === scenario.verdict);
  return left || !own.some(({ verdict }) => verdict === "waived") ? scenario : { ...scenario, verdict: "waived" };
}

function inWords({ reason, ticket, expires, state }: WaiverEntry): string {
  return state === "expired" ? `its waiver (${ticket}) expired on ${expires}` : `waived until ${expires}: ${reason} (${ticket})`;
}
