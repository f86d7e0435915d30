import { pathBuckets } from "../statements/buckets.js";
import { errorTypeClauses } from "../statements/errors.js";
import { jobTransitions, repeatedRetry, wrongStatusClauses } from "../statements/jobs.js";
import { textLimits } from "../statements/limits.js";
import { listParameters, observationParameters } from "../statements/lists.js";
import { findTriageStatement, fixPrEvents, rediscovery, triageActionNames } from "../statements/observations.js";
import { findOperationStatement, isRoute, type Operation, operations } from "../statements/operations.js";
import { refusedCredentials, roles } from "../statements/roles.js";
import { workflows } from "../statements/workflows.js";
import { READS } from "./commands/repositories.js";
import { findToolClause } from "./rules/tools.js";

/** Clauses that the rules of the model name as text. A test compares them. */
export const clausesByOperation: readonly string[] = `
  BUCKET-CODE BUCKET-ENFORCED BUCKET-REPO-RESET CURSOR-ENDPOINT CURSOR-FILTERS CURSOR-FORGED CURSOR-LAST DEDUPE-COMMIT-DIFFERS
  DEDUPE-COMPLETED DEDUPE-INFLIGHT DEDUPE-PARAMS-DIFFER DEDUPE-REPO-DIFFERS DEDUPE-WORKFLOW-DIFFERS DOCS-GATE-PLAN
  ERR-CODE-RATE ERR-CODE-TOO-LARGE ERR-CODE-WORKFLOW-FILE ERR-ENVELOPE-ONE ERR-TYPE-AUTHENTICATION ERR-TYPE-FALLBACK-405
  ERR-TYPE-FALLBACK-415 ERR-TYPE-MALFORMED ERR-TYPE-PAIRS ERR-VALIDATION-ERRORS FORECAST-COST FORECAST-DURATION
  FORECAST-LOOKUP-ROUTE FORECAST-LOOKUP-WORKFLOW FORECAST-SAMPLE-SIZE IDEMPOTENCY-MATCH JOB-FIELD-MCP-BASE JOB-FIELD-REPO-NAME
  JOB-GET-ROUTE JOB-ID-UNKNOWN JOB-LIST-REPO-ROUTE JOB-LIST-REPO-WORKFLOW JOB-LIST-WORKSPACE-ROUTE JOB-RETRY-NEW
  JOB-RETRY-ROUTE JOB-RETRY-WORKFLOW JOB-STATE-FINAL JOB-STATE-FORWARD JOB-STATE-INITIAL JOB-SUBMIT-BODY-INVALID
  JOB-SUBMIT-BUDGET JOB-SUBMIT-CREATED JOB-SUBMIT-CREDIT JOB-SUBMIT-FORCE JOB-SUBMIT-FORCE-INFLIGHT JOB-SUBMIT-PARAMS-INVALID
  JOB-SUBMIT-PARAMS-NOERRORS JOB-SUBMIT-RESPONSE KEY-CREATE-ADMIN KEY-CREATE-MEMBER KEY-CREATE-OWNER KEY-EXPIRY-401
  KEY-FIELD-CIDRS-INVALID KEY-FIELD-DOLLARS-INVALID KEY-FIELD-EXPIRES-PAST KEY-FIELD-ID KEY-FIELD-RPM-INVALID KEY-LIVE-REFUSED
  KEY-MANAGE-CREATE KEY-MANAGE-PATCH KEY-PATCH-ADMIN KEY-PATCH-CLEAR KEY-PATCH-LOWER KEY-PATCH-RAISE KEY-PATCH-SCOPES
  KEY-PATCH-SET KEY-PATCH-UNKNOWN KEY-STATE-REVOKED KEY-WORKSPACE-GET LIMIT-EFFECTIVE-KEY MCP-ARG-FORBIDDEN MCP-ARG-NAMED
  MCP-ARG-TOOL-ERROR MCP-SCOPE-REFUSED MCP-TOOL-JOBS MCP-TOOL-JOBS-FILTER MCP-TOOL-OBS-LIST MCP-TOOL-READ-PURE MCP-TOOL-REPOS
  MCP-TOOL-REQFIX OBS-ACK-OPEN OBS-ACK-STAMPS OBS-DISMISS-BOTH-REQUIRED OBS-DISMISS-CATEGORY-OTHER
  OBS-DISMISS-EXHAUSTED-REFUSED OBS-FIELD-ACK-NULL OBS-FILTER-COMBINE OBS-FILTER-EASYWINS OBS-FILTER-EASYWINS-PRIORITY
  OBS-FILTER-REPO OBS-FILTER-REVIEW OBS-FILTER-STATUS OBS-FILTER-VALUE-OTHER OBS-FIX-FIELD-IDS OBS-FIX-FIELD-OBSERVATION
  OBS-FIX-LISTED-BEFORE-PR OBS-FIX-MAKES-JOB OBS-FIX-ON-CLOSED OBS-FIX-STAYS-NEW OBS-FIX-UNMERGED OBS-GET-ROUTE
  OBS-LANE-EXCLUDED OBS-REF-UNKNOWN OBS-TICKET-NOINTEGRATION OBS-TICKET-NOINTEGRATION-CODE OBS-TICKET-ROUTE PAGE-FIELD-TYPES
  PAGE-LIMIT-NUMBER PAGE-LIMIT-OVER REPO-DELETE-GONE REPO-DELETE-ROUTE REPO-FIELD-DISCOVER-NULL REPO-GET-ROUTE REPO-LIST-ROUTE
  REPO-READ-UNKNOWN REPO-REGISTER-ACCESSMODE-INVALID REPO-REGISTER-CAP REPO-REGISTER-CAP-ANONYMOUS REPO-REGISTER-NOTPUBLIC
  REPO-REGISTER-REFUSED-UNLISTED REPO-REGISTER-ROUTE REPO-REGISTER-TWICE REPO-REGISTER-TWICE-ECHO REPO-REGISTER-UNVERIFIED
  REPO-RESET-ROUTE REPO-WRITE-UNKNOWN RETRY-AFTER-429 RETRY-AFTER-HELPS SCOPE-NARROW SCOPE-REFUSED SCOPE-REFUSED-STATUS
  SPEND-CODE WORKFLOW-ALLOWED-TRUE WORKFLOW-AUDIT-LISTED WORKFLOW-BETA-ENABLED WORKFLOW-BETA-UNLISTED WORKFLOW-PLAN-GATED
  WORKFLOW-REFUSED-ALLOWED WORKFLOW-REFUSED-STATUS WORKSPACE-SUSPEND-401
`
  .trim()
  .split(/\s+/);

const allOperations = Object.keys(operations) as Operation[];

/** Clauses of jobs. A server may start a pending job at any time, so the clause of `dispatch` is absent. */
const jobOperations = [
  ...jobTransitions.flatMap(({ on, clause }) => (on === "dispatch" ? [] : [clause])),
  ...Object.values(wrongStatusClauses),
  ...Object.values(repeatedRetry).map(({ clause }) => clause),
];

const observationOperations = [
  ...triageActionNames
    .map(findTriageStatement)
    .flatMap(({ clause, secondClause = [], wrongStatusClause }) => [clause, secondClause, wrongStatusClause].flat()),
  ...Object.values(fixPrEvents).map(({ clause }) => clause),
  ...Object.values(rediscovery),
  ...Object.values(textLimits).flatMap(({ clauses }) => [clauses.short, clauses.long, clauses.otherType, clauses.missing]),
];

const listOperations = [
  ...listParameters("observations").flatMap(({ field, clause }) => (field === undefined ? [] : [clause])),
  ...listParameters("observations").flatMap(({ implies }) => implies?.clause ?? []),
  ...Object.values(observationParameters.has_fix_pr.clauses),
  observationParameters.repo.clause,
];

const ofOperations = [
  ...allOperations.flatMap((operation) =>
    [findOperationStatement(operation).scopeClause ?? [], findOperationStatement(operation).viewClause ?? []].flat(),
  ),
  ...allOperations.flatMap((operation) => (isRoute(operation) ? [] : [findToolClause(findOperationStatement(operation))])),
  ...READS.flatMap((operation) => findOperationStatement(operation).servedClause ?? []),
];

const callerOperations = [
  ...Object.values(refusedCredentials),
  ...Object.values(roles).flatMap(({ refusedDelete = [] }) => refusedDelete),
];

/** Every clause that a failure of the model can name. */
export const clauseNames: readonly string[] = [
  ...new Set([
    ...clausesByOperation,
    ...jobOperations,
    ...observationOperations,
    ...listOperations,
    ...ofOperations,
    ...callerOperations,
    ...Object.values(errorTypeClauses),
    ...Object.values(workflows).flatMap((workflow) => Object.values(workflow).filter((one) => typeof one === "string")),
    ...pathBuckets.reset.clauses,
  ]),
].sort();
