import type { Leftover } from "../debts/debts.js";
import { type Edition, isLater } from "../edition.js";
import type { Check } from "../play/check.js";
import type { Profile } from "../play/effects.js";
import type { Played } from "../play/play.js";
import type { PropertyLine } from "../property/held.js";
import { claims } from "../scenario/select.js";
import type { ClauseVerdict, Overall } from "../verdict.js";
import type { WaiverLine } from "../waivers.js";

/** What one run found, as plain data without secrets; `spec/schema/report.json` describes the fields. */
export interface Report {
  suite: { version: string; clauses_digest: string; scenarios_digest: string; quality?: SuiteQuality };
  target: string;
  /** Address of the API host. */
  url: string;
  target_file?: string;
  started_at: string;
  selection: { only: readonly string[]; surface?: string; shard?: { index: number; of: number }; missing_shards?: number[] };
  profile: Profile;
  /** The edition of the suite that the run is judged by, and the clauses that came after it. Without it: the suite as it is. */
  claim?: { edition: string; later_clauses: readonly string[] };
  seed: number;
  verdict: Overall["verdict"];
  counts: Record<string, number>;
  requests: number;
  paid: number;
  waited_s: number;
  clauses: ClauseVerdict[];
  scenarios: ScenarioLine[];
  checks: Check[];
  waivers: WaiverLine[];
  properties: PropertyLine[];
  /** What was found out before anything was played, in sentences for whoever started the run. */
  notes?: readonly string[];
  /** What the run did to the server and could not take back. */
  leftovers?: Leftover[];
  /** What another validator says of the REST exchanges; no verdict heeds it. */
  second_opinion?: SecondOpinion;
}

/** How good the suite is: what it finds in servers with one fault each, and what it holds against servers that keep the contract. */
export interface SuiteQuality {
  mutants: number;
  killed: number;
  /** Killed by the clause that they break. */
  killed_by_own_clause: number;
  /** Servers that keep the contract in another way. */
  legal_variants: number;
  /** Of these, how many the suite held something against. */
  flagged: number;
  /** Clauses that bind a server, how many of them some mutant breaks, and how many no mutant can break, as the ledger says. */
  clauses: number;
  clauses_broken: number;
  clauses_excused: number;
  /** Whether it was measured on this very state of clauses and scenarios. */
  current: boolean;
}

/** What an independent validator found when it compared the exchanges of a run with the published document. */
export interface SecondOpinion {
  validator: string;
  version: string;
  /** How many it judged. */
  exchanges: number;
  /** How many it could not judge. */
  unjudged: number;
  /** How often a request departed from the document; tests of refusals do so on purpose. */
  request_violations: number;
  /** How answers departed from it. */
  violations: Violation[];
}

/** One way in which answers of one operation depart from the published document, as it was first met. */
export interface Violation {
  /** Where in the answer, such as `response.body.data`. */
  location: string;
  severity: string;
  code?: string;
  message: string;
  /** Method and path of the request. */
  request: string;
  /** Status of the answer. */
  status: number;
  count: number;
}

/** One scenario of a report. */
export interface ScenarioLine {
  scenario: string;
  title: string;
  file: string;
  /** The clauses that its checks judge. */
  proves: string[];
  verdict: Played["verdict"];
  /** Left out by the run's profile. */
  outside?: true;
  /** Came after the claimed edition of the suite, or was changed since: reported, not scored. */
  later?: true;
  requests: number;
  reason?: string;
}

/** The line of a report for a scenario that was played, or was not; `edition` is the one that is claimed. */
export function scenarioLine({ scenario, verdict, outside, requests, reason }: Played, edition?: Edition): ScenarioLine {
  const { name, file, text } = scenario;
  const later = edition && isLater(edition, scenario) && { later: true as const };
  const common = { scenario: name, title: text.title, file, proves: claims(scenario), verdict, requests };
  return { ...common, ...(outside && { outside }), ...later, ...(reason !== undefined && { reason }) };
}

/** How many of these have each verdict. */
export function countVerdicts(items: readonly { verdict: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { verdict } of items) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
