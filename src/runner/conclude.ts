import { unscored } from "./edition.js";
import { countVerdicts, type Report } from "./report/report.js";
import type { Ledger } from "./scenario/mistakes.js";
import { type ClauseVerdict, examinable, judgeClauses, judgeRun, type Overall } from "./verdict.js";
import { applyWaivers } from "./waive.js";
import type { Waiver } from "./waivers.js";

/** A report before anybody has judged it. */
export type Evidence = Omit<Report, "verdict" | "counts" | "clauses" | "waivers"> & { waivers: readonly Waiver[] };

/** A report, and the exit code that goes with its verdict. */
export interface Conclusion {
  report: Report;
  exitCode: Overall["exitCode"];
}

/** Judges what was seen, be it in one run or in the shards of one: clauses, waivers, and the whole. The evidence decides, nothing else. */
export function conclude(ledger: Ledger, seen: Evidence): Conclusion {
  const evidence = unscored(seen);
  const { selection, scenarios, checks, target, url, started_at } = evidence;
  const partial = selection.shard !== undefined || selection.missing_shards !== undefined;
  const clauses = judgeClauses(ledger, claimedBy(ledger, evidence), evidence);
  const judged = applyWaivers({ clauses, scenarios, checks }, evidence.waivers, {
    target,
    url,
    day: started_at.slice(0, 10),
    partial,
  });
  const overall = judgeRun(judged.clauses, judged.scenarios);
  // a part that nobody has seen is not earned by the parts that were
  const unseen = selection.missing_shards !== undefined && overall.exitCode === 0;
  const { verdict, exitCode } = unseen ? ({ verdict: "inconclusive", exitCode: 3 } as const) : overall;
  const all = [...judged.clauses, ...(isNarrow(evidence) ? [] : unclaimed(ledger, judged.clauses, evidence))];
  return { exitCode, report: { ...evidence, ...judged, clauses: all, verdict, counts: countVerdicts(all) } };
}

/** A run of the whole suite claims every clause that can be examined; a narrowed one what its scenarios prove. */
function claimedBy(ledger: Ledger, evidence: Evidence): string[] {
  const proved = evidence.scenarios.flatMap(({ proves }) => proves);
  const later = new Set(evidence.claim?.later_clauses);
  const claimed = [...(isNarrow(evidence) ? [] : examinable(ledger, evidence.selection.surface)), ...proved];
  return [...new Set(claimed)].filter((id) => !later.has(id));
}

function isNarrow({ selection }: Evidence): boolean {
  return selection.only.length > 0 || selection.shard !== undefined;
}

/** The rest of the ledger, and why no server can be asked about it. */
function unclaimed(ledger: Ledger, claimed: readonly ClauseVerdict[], { selection, claim }: Evidence): ClauseVerdict[] {
  const within = selection.surface;
  const later = new Set(claim?.later_clauses);
  const known = new Set(claimed.map(({ id }) => id));
  return Object.entries(ledger)
    .filter(([id, { surface }]) => !known.has(id) && (within === undefined || surface.includes(within)))
    .map(([id, { level, surface, excluded }]) => {
      const common = { id, level, surface, subjects: 0, by: [] };
      if (level === "open" || level === "assumed")
        return { ...common, verdict: "informational", reason: "the contract leaves it open, so it is never asserted" };
      if (later.has(id))
        return { ...common, verdict: "informational", reason: `it came after the claimed edition ${claim?.edition}` };
      return { ...common, verdict: "not-applicable", reason: excluded ?? "it binds callers, so no server can be asked" };
    });
}
