import type { Verdict } from "../execute/check.js";
import type { ScenarioResult } from "../execute/result.js";
import { type Edition, isLater } from "./editions.js";

/** One scenario of a report. */
export interface ScenarioLine {
  scenario: string;
  title: string;
  file: string;
  /** The clauses that its checks judge. */
  proves: string[];
  verdict: Verdict;
  /** Left out by the run's profile. */
  outside?: true;
  /** Came after the claimed edition of the suite, or was changed since: reported, not scored. */
  later?: true;
  requests: number;
  reason?: string;
}

/** The line of a scenario that was executed, or was left out; `edition` is the one that is claimed. */
export function scenarioLine({ scenario, verdict, outside, requests, reason }: ScenarioResult, edition?: Edition): ScenarioLine {
  const { name, file, title, claims } = scenario;
  const later = edition && isLater(edition, scenario) && { later: true as const };
  const common = { scenario: name, title, file, proves: [...claims], verdict, requests };
  return { ...common, ...(outside && { outside }), ...later, ...(reason !== undefined && { reason }) };
}
