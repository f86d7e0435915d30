import type { Check } from "../execute/check.js";
import { LONGER_DEADLINE } from "../execute/result.js";
import type { ScenarioEntry } from "../verdict/scenario-entry.js";
import type { Report } from "./report.js";

/**
 * Returns whether a scenario has no result because of the connection or of time: it was not executed to its end, a deadline
 * left it out, its environment could not be created, or a check got no response. A resumed run executes it again.
 */
export function isInterrupted(line: Pick<ScenarioEntry, "scenario" | "verdict" | "missing">, checks: readonly Check[]): boolean {
  const ownChecks = checks.filter((check) => check.scenario === line.scenario);
  if (isLeftOutByDeadline(line)) return ownChecks.length === 0;
  if (line.verdict !== "inconclusive") return line.verdict === "not-observed";
  return ownChecks.length === 0 || ownChecks.some((check) => check.basis === "no-answer");
}

/** Returns how many scenarios and properties of a report were interrupted. */
export function countInterrupted({ scenarios, checks }: Pick<Report, "scenarios" | "checks">): number {
  return scenarios.filter((line) => isLeftOutByDeadline(line) || isInterrupted(line, checks)).length;
}

function isLeftOutByDeadline({ missing = [] }: Pick<ScenarioEntry, "missing">): boolean {
  return missing.includes(LONGER_DEADLINE);
}
