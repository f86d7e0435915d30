import type { Report } from "../../src/engine/report/report.js";

/** How the run against a conforming server ended. */
export interface LegalEnd {
  exit_code: number;
  /** The choices of the server that kept clauses from being judged, each with its place in the text. */
  choices: string[];
  /** Clauses that were not judged for a reason that names no choice. */
  unnamed: string[];
}

type Check = Report["checks"][number];

/** Returns how a run ended. A check that was not executed has the reason of the step that prevented it. */
export function legalEnd({ checks, clauses }: Pick<Report, "checks" | "clauses">, exitCode: number): LegalEnd {
  const isUnjudged = ({ verdict }: { verdict: string }) => verdict === "inconclusive" || verdict === "not-observed";
  const ends = clauses.filter(isUnjudged).map(({ id, reason }) => {
    const reasons = checks
      .filter((check) => isUnjudged(check) && check.clauses.includes(id))
      .map((check) => rootReason(checks, check));
    return { id, choices: (reasons.length > 0 ? reasons : [reason ?? ""]).map(choiceIn) };
  });
  return {
    exit_code: exitCode,
    choices: [...new Set(ends.flatMap(({ choices }) => choices.flatMap((choice) => choice ?? [])))].toSorted(),
    unnamed: ends.filter(({ choices }) => choices.includes(undefined)).map(({ id }) => id),
  };
}

/** Returns whether a run ended with exit code 0, or each clause that it left unjudged has a choice of the server as its reason. */
export function isExplainedEnd({ exit_code, unnamed }: LegalEnd): boolean {
  return exit_code === 0 || unnamed.length === 0;
}

function rootReason(checks: readonly Check[], check: Check): string {
  let root = check;
  for (const seen = new Set<Check>(); root.blocked_by !== undefined && !seen.has(root); ) {
    seen.add(root);
    const { scenario, blocked_by: step = "" } = root;
    root = checks.find((one) => one.scenario === scenario && (one.step === step || one.step.startsWith(`${step}[`))) ?? root;
  }
  return root.reason ?? "";
}

function choiceIn(reason: string): string | undefined {
  return /^(.*?)\. To judge this, /s.exec(reason)?.[1];
}
