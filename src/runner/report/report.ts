import type { Check } from "../play/check.js";
import type { Profile } from "../play/effects.js";
import type { Played } from "../play/play.js";
import type { ClauseVerdict, Overall } from "../verdict.js";

/** What one run found, as plain data without secrets; `spec/schema/report.json` describes the fields. */
export interface Report {
  suite: { version: string; clauses_digest: string };
  target: string;
  profile: Profile;
  seed: number;
  verdict: Overall["verdict"];
  counts: Record<string, number>;
  requests: number;
  paid: number;
  waited_s: number;
  clauses: ClauseVerdict[];
  scenarios: ScenarioLine[];
  checks: Check[];
  properties: Record<string, unknown>[];
}

/** One scenario of a report. */
export interface ScenarioLine {
  scenario: string;
  title: string;
  file: string;
  verdict: Played["verdict"];
  requests: number;
  reason?: string;
}

/** The line of a report for a scenario that was played, or was not. */
export function scenarioLine({ scenario, verdict, requests, reason }: Played): ScenarioLine {
  const { name, file, text } = scenario;
  return { scenario: name, title: text.title, file, verdict, requests, ...(reason !== undefined && { reason }) };
}

/** How many of these have each verdict. */
export function countVerdicts(items: readonly { verdict: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verdict } of items) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
