import type { Check, Verdict } from "./play/check.js";
import type { ScenarioLine } from "./report/report.js";
import type { Ledger } from "./scenario/mistakes.js";

/** What the run says of one clause. `by` names the checks that judged it, or the scenarios that could not. */
export interface ClauseVerdict {
  id: string;
  level: string;
  surface: readonly string[];
  verdict: Verdict;
  subjects: number;
  by: string[];
  reason?: string;
}

/** What the whole run says, and the exit code that goes with it. */
export interface Overall {
  verdict: "passed" | "failed" | "inconclusive" | "harness-error";
  exitCode: 0 | 1 | 3 | 4;
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
type Said = { verdict: (typeof WORST_FIRST)[number]; by: string; subjects: number; reason?: string | undefined };

/** The clauses that an examiner of servers can be asked about: asserted by the text, bound to a server, and visible. */
export function examinable(ledger: Ledger, surface?: string): string[] {
  return Object.entries(ledger)
    .filter(([, { level, excluded }]) => (level === "stated" || level === "derived") && excluded === undefined)
    .filter(([, clause]) => (surface ? clause.surface.includes(surface) : clause.surface.some((name) => name !== "client")))
    .map(([id]) => id);
}

/** What was seen: every selected scenario, and every check that was made or attempted. */
export interface Seen {
  scenarios: readonly ScenarioLine[];
  checks: readonly Check[];
}

/** Judges every claimed clause by all that was seen. A pass needs a subject; what was claimed and not judged is not-observed. */
export function judgeClauses(ledger: Ledger, claimed: readonly string[], { scenarios, checks }: Seen): ClauseVerdict[] {
  const said = new Map<string, Said[]>();
  for (const line of scenarios) {
    const own = checks.filter(({ scenario }) => scenario === line.scenario);
    for (const [id, words] of whatIsSaid(line, own)) said.set(id, [...(said.get(id) ?? []), ...words]);
  }
  return claimed.map((id) => {
    const { level = "open", surface = [] } = ledger[id] ?? {};
    return { id, level, surface, ...weigh(said.get(id) ?? []) };
  });
}

/** The verdict of the run: findings outrank faults of ours, and both outrank what could not be told. */
export function judgeRun(clauses: readonly ClauseVerdict[], scenarios: readonly ScenarioLine[]): Overall {
  const any = (verdict: Verdict) => [...clauses, ...scenarios].some((each) => each.verdict === verdict);
  if (any("failed") || any("stale-waiver")) return { verdict: "failed", exitCode: 1 };
  if (any("harness-error")) return { verdict: "harness-error", exitCode: 4 };
  const unearned = any("inconclusive") || any("not-observed") || !(any("passed") || any("waived"));
  return unearned ? { verdict: "inconclusive", exitCode: 3 } : { verdict: "passed", exitCode: 0 };
}

/** What one scenario says of each clause it claims. */
function whatIsSaid(line: ScenarioLine, checks: readonly Check[]): [string, Said[]][] {
  return line.proves.map((id) => {
    const words = checks.filter((check) => check.clauses.includes(id)).flatMap(saidBy);
    if (line.later && words.length === 0)
      return [
        id,
        [{ verdict: "informational", by: line.scenario, subjects: 0, reason: "only checks judge it that came after the claim" }],
      ];
    return [id, words.length > 0 ? words : [{ verdict: unplayed(line), by: line.scenario, subjects: 0, reason: line.reason }]];
  });
}

function saidBy({ id, verdict, subjects, reason, actual }: Check): Said[] {
  switch (verdict) {
    case "passed":
      return [
        {
          verdict: subjects > 0 ? "passed" : "inconclusive",
          by: id,
          subjects,
          reason: subjects > 0 ? undefined : "nothing was judged",
        },
      ];
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
function unplayed({ verdict, outside }: ScenarioLine): Said["verdict"] {
  if (verdict === "harness-error") return verdict;
  if (verdict === "not-applicable") return outside ? "not-applicable" : "not-observed";
  return verdict === "inconclusive" ? "inconclusive" : "not-observed";
}

function weigh(said: readonly Said[]): Omit<ClauseVerdict, "id" | "level" | "surface"> {
  const verdict = WORST_FIRST.find((candidate) => said.some((each) => each.verdict === candidate));
  if (verdict === undefined) return { verdict: "not-observed", subjects: 0, by: [], reason: "no scenario proves it" };
  const reason = said.find((each) => each.verdict === verdict)?.reason;
  return {
    verdict: verdict === "not-observed" && said.some(brokeOff) ? "inconclusive" : verdict,
    subjects: said.reduce((sum, { subjects }) => sum + subjects, 0),
    by: said.filter((each) => each.verdict === verdict).map(({ by }) => by),
    ...(reason !== undefined && { reason }),
  };
}

/** Whether a check was left out because an earlier one of its scenario ended the play. */
function brokeOff({ verdict, by }: Said): boolean {
  return verdict === "not-observed" && by.includes("/");
}
