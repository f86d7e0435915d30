import type { Report } from "../../src/engine/report/report.js";
import { findBlockingCheck } from "../../src/engine/verdict/blocking-check.js";

/** The end of a run against a conforming server. */
export interface LegalEnd {
  exit_code: number;
  /** The choices of the server that kept clauses from being judged, each with its place in the text. */
  choices: string[];
  /** Clauses that were not judged for a reason that names no choice. */
  unnamed: string[];
}

/**
 * Returns how a run ended. A check that was not executed has the reason of the step that prevented it. A request without a
 * response on a busy machine is not a choice and needs none. In a shard, a clause may lack only what another shard shows.
 */
export function legalEnd(
  { checks, clauses, selection }: Pick<Report, "checks" | "clauses" | "selection">,
  exitCode: number,
): LegalEnd {
  const isUnjudged = ({ verdict }: { verdict: string }) => verdict === "inconclusive" || verdict === "not-observed";
  const ends = clauses.filter(isUnjudged).map(({ id, reason }) => {
    const blocking = checks
      .filter((check) => isUnjudged(check) && check.clauses.includes(id))
      .map((check) => findBlockingCheck(checks, check));
    const reasons = blocking.filter(({ basis }) => basis !== "no-answer").map(({ reason: text }) => text ?? "");
    const alone = selection.shard ? [] : [reason ?? ""];
    return { id, choices: (blocking.length > 0 ? reasons : alone).map(choiceIn) };
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

/**
 * Returns each clause with another verdict than `passed`. In a shard, an inconclusive clause whose checks all passed does not count: it lacks
 * only what another shard shows.
 */
export function listUnpassed({ clauses, checks, selection }: Pick<Report, "clauses" | "checks" | "selection">): string[] {
  const open = new Set(checks.flatMap((check) => (check.verdict === "passed" ? [] : check.clauses)));
  const lacksContrast = ({ id, verdict }: Report["clauses"][number]) =>
    selection.shard !== undefined && verdict === "inconclusive" && !open.has(id);
  return clauses
    .filter((clause) => clause.verdict !== "passed" && !lacksContrast(clause))
    .map(({ id, verdict }) => `${id} ${verdict}`);
}

function choiceIn(reason: string): string | undefined {
  return /^(.*?)\. To judge this, /s.exec(reason)?.[1];
}
