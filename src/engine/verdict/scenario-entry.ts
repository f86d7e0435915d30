import type { Verdict } from "../execute/check.js";
import type { ScenarioResult } from "../execute/result.js";
import { type Edition, isNewer } from "./editions.js";

/** One scenario of a report. */
export interface ScenarioEntry {
  scenario: string;
  title: string;
  file: string;
  /** The clauses that its checks judge. */
  proves: string[];
  verdict: Verdict;
  /** Left out by the run's profile. */
  outside_profile?: true;
  /** Came after the claimed edition of the suite, or was changed since: reported, not scored. */
  newer?: true;
  requests: number;
  reason?: string;
}

/** The line of a scenario that was executed, or was left out; `edition` is the one that is claimed. */
export function scenarioEntry(
  { scenario, verdict, outside, requests, reason }: ScenarioResult,
  edition?: Edition,
): ScenarioEntry {
  const { name, file, title, claims } = scenario;
  const newer = edition && isNewer(edition, scenario) && { newer: true as const };
  const common = { scenario: name, title, file, proves: [...claims], verdict, requests };
  return { ...common, ...(outside && { outside_profile: true as const }), ...newer, ...(reason !== undefined && { reason }) };
}
