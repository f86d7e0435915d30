import type { CleanupRules } from "./cleanup/rules.js";
import type { SuiteFiles } from "./evidence/bundle/files.js";
import type { AnswerRules } from "./http/answer-rules.js";
import type { RateRules } from "./pacing/rates.js";
import type { PreflightRules } from "./preflight/rules.js";
import type { Property } from "./property/property.js";
import type { SuiteIdentity } from "./report/suite-identity.js";
import type { CoverageRules } from "./scenario/dimensions.js";
import type { Ledger } from "./scenario/lint.js";
import type { ReadAhead } from "./scenario/read-ahead.js";
import type { RequestRules } from "./scenario/requests.js";
import type { Scenario } from "./scenario/scenario.js";
import type { ShortNames } from "./scenario/short-names.js";
import type { ApiDocument } from "./second-opinion/api-document.js";
import type { TargetRules } from "./target/rules.js";

/**
 * What one contract asks of a server, as one value: all that the engine knows of it. Whoever has another contract writes another of these; the
 * engine stays as it is.
 */
export interface Suite {
  /** Every clause by its id. */
  clauses: Ledger;
  /** Directory of the scenarios; their set-ups lie in `arrangements/`. */
  scenarios: string;
  /** What was read of them when the suite was built. */
  ahead?: ReadAhead;
  /** What scenarios and set-ups say in short. */
  shortNames: ShortNames;
  /** Directory of the editions that were released. */
  editions: string;
  /** Files that go into a bundle as they stand. */
  files: SuiteFiles;
  /** Titles of the contract's sections, from the first; `section` of a clause counts them from 1. */
  sections: readonly string[];
  /** Where a clause can show, in the order of reports. */
  surfaces: readonly string[];
  /** What the REST API publishes of itself. */
  document: ApiDocument;
  /** Which suite judges, when these scenarios were read. */
  identify(scenarios: readonly Scenario[]): SuiteIdentity;
  /** What its clauses quantify over, and how it is known of what a check says something. */
  coverage: CoverageRules;
  /** What is known of requests before they are sent. */
  requests: RequestRules;
  /** The form of its answers. */
  answers: AnswerRules;
  /** The role whose key a request carries that names no other. */
  defaultRole: string;
  /** Where a target has what its file need not name. */
  target: TargetRules;
  /** Which rates requests count against. */
  rates: RateRules;
  /** What requests do to a server, and how that is taken back. */
  cleanup: CleanupRules;
  /** How to see whether the service is there. */
  preflight: PreflightRules;
  /** Every property, in the order of reports; loaded when it is asked for. */
  properties(): Promise<readonly Property[]>;
}
