import type { CleanupRules } from "./cleanup/rules.js";
import type { SuiteFiles } from "./evidence/bundle/files.js";
import type { ResponseRules } from "./http/response-rules.js";
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

/** One contract, as the engine needs it. To examine servers of another contract, write another suite; the engine does not change. */
export interface Suite {
  /** Every clause by its id. */
  clauses: Ledger;
  /** Directory of the scenarios. Their setups are in its folder `setups/`. */
  scenarios: string;
  /** Data about the scenarios that the build has extracted. */
  ahead?: ReadAhead;
  /** Abbreviations in scenarios and setups. */
  shortNames: ShortNames;
  /** Directory of the released editions. */
  editions: string;
  /** Files that are copied into a bundle. */
  files: SuiteFiles;
  /** Titles of the contract's sections. `section` of a clause is an index that starts at 1. */
  sections: readonly string[];
  /** Surfaces of the service, in the order of reports. */
  surfaces: readonly string[];
  /** The OpenAPI document of the REST API. */
  document: ApiDocument;
  /** Returns the version and digests of the suite with these scenarios. */
  identify(scenarios: readonly Scenario[]): SuiteIdentity;
  /** The dimensions of clauses, and how to find the values that a check covers. */
  coverage: CoverageRules;
  /** Facts about requests before they are sent. */
  requests: RequestRules;
  /** The form of its responses. */
  answers: ResponseRules;
  /** The role whose key is used by requests that name no role. */
  defaultRole: string;
  /** Default addresses of a target, and names in target files. */
  target: TargetRules;
  /** The rate limits of requests. */
  rates: RateRules;
  /** The side effects of requests, and how to undo them. */
  cleanup: CleanupRules;
  /** The requests of the preflight. */
  preflight: PreflightRules;
  /** Loads every property, in the order of reports. */
  properties(): Promise<readonly Property[]>;
}
