import type { Coverage } from "../property/coverage.js";
import { toolEffects } from "../scenario/tools.js";
import { operations } from "./operations.js";

/** Codes that the text names and a request can bring about. */
export const CODES: readonly string[] = [
  "invalid_payload",
  "bad_request",
  "invalid_cursor",
  "payload_too_large",
  "no_ticket_integration",
  "observation_not_fixable",
  "observation_fix_targets_workflow_file",
  "repo_no_longer_public",
  "repo_cap_exceeded",
  "feature_not_enabled",
  "plan_repo_cap_exceeded",
  "plan_restricted",
  "rate_limit_qps",
  "rate_limit_budget",
  "repo_already_registered",
];

/** Codes that no case brings about, and why. */
export const UNREACHABLE: Readonly<Record<string, string>> = {
  plan_repo_size_exceeded: "no plan sets a size cap today",
  internal_error: "only a fault of the service brings it about",
  idempotency_key_reused: "a server may answer another body with the first job; the default of the stand-in does",
};

const ENDED = ["completed", "failed", "cancelled"];
const CLOSED = ["dismissed", "completed", "fixed", "expired"];
const REAPPEARING = ["stale", "no_longer_found", "other"];
const STAYING = ["false_positive", "wont_fix", "out_of_scope"];

/** Every line of the job table, and what the table has no line for. */
export const JOB_POINTS: readonly string[] = [
  "submit",
  "submit while in flight",
  "submit when completed",
  "submit when completed, forced",
  "submit with a known key",
  "submit on another commit",
  "pending: dispatch",
  "running: succeed",
  "running: fail",
  ...["pending", "running", ...ENDED].flatMap((status) => [`${status}: cancel`, `${status}: retry`]),
  ...ENDED.map((status) => `${status}: stays`),
  "retry while one is in flight",
  "retry when the last has ended",
];

/** Every line of the observation table, and what the table has no line for. */
export const OBSERVATION_POINTS: readonly string[] = [
  ...["new", ...CLOSED].flatMap((from) =>
    ["dismiss", "complete", "acknowledge", "reopen", "fix"].map((verb) => `${from}: ${verb}`),
  ),
  "new: open-fix-pr",
  "new: merge-fix-pr",
  "new: close-fix-pr",
  "new: expire",
  "new: exhaust-fix",
  ...[...STAYING, ...REAPPEARING].map((category) => `dismissed as ${category}: rediscover`),
];

/** Every filter and order of the observation list with its values, and the filters of job lists. */
export const FILTER_POINTS: readonly string[] = [
  ...["finding", "suggestion", "advisory"].map((kind) => `kind=${kind}`),
  ...["new", "closed"].map((status) => `status=${status}`),
  ...["P0", "P1", "P2", "P3"].map((priority) => `priority=${priority}`),
  ...["security", "correctness", "maintainability", "performance", "architecture", "operations"].map(
    (category) => `category=${category}`,
  ),
  ...["fixed", "dismissed", "completed", "expired"].map((reason) => `close_reason=${reason}`),
  ...["security", "code_quality", "reliability", "data_apis", "testing", "devops", "ux"].map((domain) => `domain=${domain}`),
  ...["recency", "display_rank", "resolved"].map((order) => `order=${order}`),
  "has_fix_pr=true",
  "has_fix_pr=false",
  "easy_wins=true",
  "needs_review=true",
  "include=locations",
  "repo",
  "since",
  "workflow",
];

/** Says which points exist. */
export function expectPoints(coverage: Coverage, refusals: Iterable<string>): void {
  coverage.expect(
    "routes",
    Object.keys(operations).filter((what) => /^[A-Z]+ \//.test(what)),
  );
  coverage.expect("tools", Object.keys(toolEffects));
  coverage.expect("error codes", CODES);
  coverage.expect("job transitions", JOB_POINTS);
  coverage.expect("observation transitions", OBSERVATION_POINTS);
  coverage.expect("filters", FILTER_POINTS);
  coverage.expect("refusals", refusals);
}
