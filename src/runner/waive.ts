import type { Check } from "./play/check.js";
import type { ScenarioLine } from "./report/report.js";
import type { ClauseVerdict } from "./verdict.js";
import type { Waiver, WaiverLine } from "./waivers.js";

/** What waivers change. */
export interface Judged {
  clauses: ClauseVerdict[];
  scenarios: ScenarioLine[];
  checks: Check[];
}

/** Which run is judged: on which target, on which day (`2026-12-31`), and whether it is but a part of one. */
export interface Occasion {
  target: string;
  url: string;
  day: string;
  partial: boolean;
}

/**
 * Turns failures that are waived into `waived`, and passes that are waived into `stale-waiver`. Part of a run cannot tell that a waiver
 * is stale: the clause may fail in another.
 */
export function applyWaivers(judged: Judged, waivers: readonly Waiver[], occasion: Occasion): Judged & { waivers: WaiverLine[] } {
  const lines = waivers.map((waiver) => ({ ...waiver, state: stateOf(waiver, judged.clauses, occasion) }));
  const find = (id: string, state: WaiverLine["state"]) => lines.find((line) => line.clause === id && line.state === state);
  const used = (id: string) => find(id, "used");
  const clauses = judged.clauses.map((clause): ClauseVerdict => {
    const { id, verdict, reason = "it fails" } = clause;
    const [waiver, stale, expired] = [used(id), find(id, "stale"), find(id, "expired")];
    if (waiver) return { ...clause, verdict: "waived", reason: `${inWords(waiver)}; ${reason}` };
    if (stale) return { ...clause, verdict: "stale-waiver", reason: `it passes: take away the waiver (${stale.ticket})` };
    return expired && verdict === "failed" ? { ...clause, reason: `${reason}; ${inWords(expired)}` } : clause;
  });
  const checks = judged.checks.map((check) => {
    const waived = check.verdict === "failed" && check.clauses.length > 0 && check.clauses.every(used);
    return waived
      ? { ...check, verdict: "waived" as const, reason: check.clauses.map((id) => inWords(used(id)!)).join("; ") }
      : check;
  });
  return { clauses, checks, scenarios: judged.scenarios.map((scenario) => waiveScenario(scenario, checks)), waivers: lines };
}

/** What was seen as it was before waivers, for another judgement. */
export function withoutWaivers({
  scenarios,
  checks,
}: Pick<Judged, "scenarios" | "checks">): Pick<Judged, "scenarios" | "checks"> {
  return {
    scenarios: scenarios.map((line) => (line.verdict === "waived" ? { ...line, verdict: "failed" } : line)),
    checks: checks.map((check) => {
      const { reason: _, ...failed } = check;
      return check.verdict === "waived" ? { ...failed, verdict: "failed" } : check;
    }),
  };
}

function stateOf(
  waiver: Waiver,
  clauses: readonly ClauseVerdict[],
  { target, url, day, partial }: Occasion,
): WaiverLine["state"] {
  if (waiver.target !== target && waiver.target !== url) return "elsewhere";
  if (waiver.expires < day) return "expired";
  const verdict = clauses.find(({ id }) => id === waiver.clause)?.verdict;
  if (verdict === "failed") return "used";
  return verdict === "passed" && !partial ? "stale" : "unused";
}

/** A scenario all of whose failures are waived is waived too. */
function waiveScenario(scenario: ScenarioLine, checks: readonly Check[]): ScenarioLine {
  if (scenario.verdict !== "failed") return scenario;
  const own = checks.filter((check) => check.scenario === scenario.scenario);
  const left = own.some(({ verdict }) => verdict === "failed");
  return left || !own.some(({ verdict }) => verdict === "waived") ? scenario : { ...scenario, verdict: "waived" };
}

function inWords({ reason, ticket, expires, state }: WaiverLine): string {
  return state === "expired" ? `its waiver (${ticket}) expired on ${expires}` : `waived until ${expires}: ${reason} (${ticket})`;
}
