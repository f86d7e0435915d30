import type { Verdict } from "../execute/check.js";
import type { ScenarioResult } from "../execute/result.js";
import { type Edition, isNewer } from "./editions.js";

/** A scenario in a report. */
export interface ScenarioEntry {
  scenario: string;
  title: string;
  file: string;
  /** The clauses that its checks judge. */
  proves: string[];
  verdict: Verdict;
  /** The profile of the run excludes the scenario. */
  outside_profile?: true;
  /** The items that are missing to execute it: fields of the target file, and flags such as `--profile full`. */
  missing?: readonly string[];
  /** The scenario is newer than the claimed edition, or was changed after it. Its failures are warnings. */
  newer?: true;
  requests: number;
  /** The operations that succeeded in it. */
  served?: string[];
  reason?: string;
  /** The verdict and reason before a waiver changed them. */
  before_waiver?: { verdict: Verdict; reason?: string };
}

/** Creates the entry of a scenario. `edition`: the claimed edition. */
export function createScenarioEntry(
  { scenario, verdict, skippedBy, missing, requests, served = [], reason }: ScenarioResult,
  edition?: Edition,
): ScenarioEntry {
  const { name, file, title, claims } = scenario;
  const newer = edition && isNewer(edition, scenario) && { newer: true as const };
  const common = { scenario: name, title, file, proves: [...claims], verdict, requests };
  return {
    ...common,
    ...(skippedBy === "profile" && { outside_profile: true as const }),
    ...(missing && { missing }),
    ...newer,
    ...(served.length > 0 && { served }),
    ...(reason !== undefined && { reason }),
  };
}
