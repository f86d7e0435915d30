import { contract } from "../../src/contract/load.js";
import type { ClauseId, ErrorCode } from "../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../src/service/call.js";
import type { World } from "../../src/service/world/world.js";
import { changing, each, onTool } from "./family.js";
import { ofLimit } from "./helpers/answers.js";
import { fault } from "./helpers/repositories.js";
import { fixRoute, submitRoute } from "./helpers/routes.js";
import { type Around, bodyOf, type Mutant, observationOf, onRoute, pretending, routeOf, withError } from "./mutant.js";

/** A server that tells one refusal otherwise, in all calls or some. */
type Row = [name: string, breaks: ClauseId, code: ErrorCode, told: Told, isMeant?: (call: IncomingCall, reply: Reply) => boolean];

const rows: Row[] = [
  ["gives a missing scope a type of its own", "ERR-ENVELOPE-TYPE", "insufficient_scope", { type: "scope_error" }],
  ["gives a beta workflow a type of its own", "ERR-ENVELOPE-TYPE", "feature_not_enabled", { type: "beta_error" }],
  ["gives what is not there a type of its own", "ERR-ENVELOPE-TYPE", "not_found", { type: "missing" }, isJobRead],
  ["gives a wrong method a type of its own", "ERR-ENVELOPE-TYPE", "method_not_allowed", { type: "method_error" }],
  ["gives a stale cursor a type of its own", "ERR-ENVELOPE-TYPE", "invalid_cursor", { type: "cursor_error" }],
  ["calls the retired workflow a matter of billing", "ERR-TYPE-422", "invalid_payload", { type: "billing_error" }, isRetired],
  [
    "calls a limit above the highest a rate limit with 422",
    "ERR-TYPE-422",
    "invalid_payload",
    { type: "rate_limit_error" },
    isLimited,
  ],
  ["calls a missing key a missing permission with 401", "ERR-TYPE-PAIRS", "missing_key", { type: "permission_error" }],
  ["calls a missing scope an unknown key with 403", "ERR-TYPE-PAIRS", "insufficient_scope", { type: "authentication_error" }],
  ["calls a missing job an invalid request with 404", "ERR-TYPE-PAIRS", "not_found", { type: "invalid_request_error" }],
  ["calls a missing job not found with 410", "ERR-TYPE-PAIRS", "not_found", { status: 410 }],
  ["calls a repository that is there a conflict with 400", "ERR-TYPE-PAIRS", "repo_already_registered", { status: 400 }],
  ["calls a wrong method not found with 405", "ERR-TYPE-PAIRS", "method_not_allowed", { type: "not_found" }],
  ["calls a stale cursor a failed validation with 400", "ERR-TYPE-PAIRS", "invalid_cursor", { type: "validation_error" }],
  ["calls the retired workflow a conflict with 422", "ERR-TYPE-PAIRS", "invalid_payload", { type: "conflict" }, isRetired],
  ["calls a plan gate a missing permission with 402", "ERR-TYPE-PAIRS", "plan_restricted", { type: "permission_error" }],
  ["calls an outage an invalid request with 503", "ERR-TYPE-PAIRS", "service_unavailable", { type: "invalid_request_error" }],
  ["calls a body that is too large a failed validation", "ERR-TYPE-PAIRS", "payload_too_large", { type: "validation_error" }],
  ["calls a failed validation an invalid request", "ERR-TYPE-VALIDATION", "invalid_payload", { type: "invalid_request_error" }],
  ["calls a stale cursor a conflict", "ERR-TYPE-INVALID", "invalid_cursor", { type: "conflict" }],
  ["answers 409 to a stale cursor", "ERR-TYPE-INVALID", "invalid_cursor", { status: 409 }],
  ["answers 409 to the fix of a closed observation", "ERR-TYPE-INVALID", "observation_not_fixable", { status: 409 }],
  ["answers 404 to a ticket without a tracker", "ERR-TYPE-INVALID", "no_ticket_integration", { status: 404 }],
  ["answers 415 to a body that is no JSON", "ERR-TYPE-MALFORMED", "bad_request", { status: 415 }],
  ["calls a wrong method a failed validation", "ERR-TYPE-FALLBACK-405", "method_not_allowed", { type: "validation_error" }],
  [
    "calls a wrong content type a failed validation",
    "ERR-TYPE-FALLBACK-415",
    "unsupported_media_type",
    { type: "validation_error" },
  ],
  ["calls a wrong method a conflict", "ERR-TYPE-FALLBACK", "method_not_allowed", { type: "conflict" }],
  [
    "calls a key of a suspended workspace one without permission",
    "ERR-TYPE-AUTHENTICATION",
    "workspace_suspended",
    { type: "permission_error" },
  ],
  ["answers 404 to a key without the scope", "ERR-TYPE-PERMISSION", "insufficient_scope", { type: "not_found", status: 404 }],
  [
    "calls a workflow outside the plan forbidden",
    "ERR-TYPE-BILLING",
    "workflow_not_entitled",
    { type: "permission_error", status: 403 },
  ],
  ["answers 400 to a repository that is there", "ERR-TYPE-CONFLICT", "repo_already_registered", { status: 400 }],
  [
    "calls a repository that is there an invalid request",
    "ERR-TYPE-CONFLICT",
    "repo_already_registered",
    { type: "invalid_request_error" },
  ],
  ["calls an outage a conflict", "ERR-TYPE-SERVER", "service_unavailable", { type: "conflict" }],
  ["answers 400 to a body that is too large", "ERR-CODE-TOO-LARGE", "payload_too_large", { status: 400 }],
  [
    "has plan_restricted come with permission_error",
    "ERR-CODE-PLAN",
    "plan_restricted",
    { type: "permission_error", status: 403 },
  ],
  ["names no missing entitlement at its document", "ERR-CODE-FEATURES", "plan_restricted", { required_features: [] }],
  ["carries no required_features at its document", "ERR-CODE-FEATURES", "plan_restricted", { required_features: undefined }],
  ["has a code for params of its own", "ERR-VALIDATION-CODE", "invalid_payload", { code: "invalid_params" }, isSemantic],
  ["lists its errors by field", "ERR-VALIDATION-ERRORS", "invalid_payload", { errors: { limit: "Too high." } }, isLimited],
  ["answers 403 to a request without a key", "AUTH-MISSING", "missing_key", { status: 403 }],
];

/** What is told otherwise of a refusal: its status, and fields of its error object. */
interface Told {
  status?: number;
  [field: string]: unknown;
}

/** What brings a refusal about, by what the contract calls it. */
const codesOf: Record<string, readonly ErrorCode[]> = {
  missing: ["missing_key"],
  malformed: ["malformed_key", "invalid_key"],
  expired: ["expired_key"],
  revoked: ["revoked_key"],
  network: ["network_not_allowed"],
  suspended: ["workspace_suspended"],
  scope: ["insufficient_scope"],
  delete_repo: ["permission_denied"],
  workflow: ["workflow_not_entitled"],
  credit: ["insufficient_credit"],
  document: ["plan_restricted"],
};

const workflowFiles: Record<string, RegExp> = {
  yml: /workflows\/[^/]+\.yml$/,
  yaml: /workflows\/[^/]+\.yaml$/,
  "other extension": /workflows\/[^/]+\.(?!ya?ml$)[^./]+$/,
  "no extension": /workflows\/[^./]+$/,
  "in a folder": /workflows\/[^/]+\/./,
};

/** Mutants that break a clause of ERR-CODE-*, ERR-ENVELOPE-*, ERR-TYPE-* or ERR-VALIDATION-*. */
export const errorsMutants: Mutant[] = [
  ...rows.map(([name, breaks, code, { status, ...error }, isMeant = () => true]) => ({
    name,
    breaks,
    around: changing(
      (reply, call) => reply.rule.code === code && isMeant(call, reply),
      (reply) => ({ ...withError(reply, error), status: status ?? reply.status }),
    ),
  })),
  ...["type", "code", "message", "request_id"].flatMap((field) =>
    each("ERR-ENVELOPE-ONE", "error status", `tells a * without its ${field}`, (status) =>
      retelling(ofStatus(status), { [field]: undefined }),
    ),
  ),
  ...each("ERR-ENVELOPE-ONE", "error status", "tells a * in bare words", (status) =>
    changing(ofStatus(status), (reply) => ({ ...reply, body: { detail: "No." } })),
  ),
  ...each("ERR-ENVELOPE-TYPE", "error status", "tells a * by a type of its own", (status) =>
    retelling(ofStatus(status), { type: `error_${status}` }),
  ),
  ...each("ERR-TYPE-PAIRS", "error status", "tells a * by the type of another status", (status) =>
    retelling(ofStatus(status), { type: status === "409" ? "server_error" : "conflict" }),
  ),
  ...each("ERR-TYPE-422", "cause of a 422", "calls it a conflict with 422: *", (cause) =>
    retelling((reply, call) => causeOf(reply, call) === cause, { type: "conflict" }),
  ),
  ...each("ERR-TYPE-VALIDATION", "route with validation", "answers 400 where validation fails on *", (route) =>
    onRoute(route, retelling(ofSchema, { status: 400, type: "invalid_request_error" })),
  ),
  ...each("ERR-VALIDATION-CODE", "route with validation", "has a code of its own where validation fails on *", (route) =>
    onRoute(route, retelling(ofSchema, { code: "invalid_input" })),
  ),
  ...each("ERR-VALIDATION-ERRORS", "route with validation", "lists no errors where validation fails on *", (route) =>
    onRoute(route, retelling(ofSchema, { errors: undefined })),
  ),
  ...each("ERR-TYPE-MALFORMED", "route with a JSON body", "answers 500 to a body that is no JSON on *", (route) =>
    onRoute(
      route,
      retelling(({ rule }) => rule.code === "bad_request" && rule.gate === "body", { status: 500, type: "server_error" }),
    ),
  ),
  ...each("ERR-CODE-INVALID", "invalid request code", "has * come with another type", (code) =>
    retelling(ofCode(code), { type: "permission_error" }),
  ),
  ...(["bad_request", "payload_too_large", "observation_not_fixable"] as const).map((code): Mutant => {
    const around = retelling(ofCode(code), { type: "validation_error" });
    return { name: `has ${code} come with another type`, breaks: "ERR-CODE-INVALID", around };
  }),
  ...each("ERR-CODE-PERMISSION", "permission code", "has * come with billing_error", (code) =>
    retelling(ofCode(code), { type: "billing_error" }),
  ),
  ...each("ERR-TYPE-AUTHENTICATION", "refused key", "answers 403 to a key that is *", (why) =>
    retelling(ofCode(...(codesOf[why] ?? [])), { type: "permission_error", status: 403 }),
  ),
  ...each("ERR-TYPE-PERMISSION", "permission refusal", "answers 401 to a key that lacks: *", (what) =>
    retelling(ofCode(...(codesOf[what] ?? [])), { type: "authentication_error", status: 401 }),
  ),
  ...each("ERR-TYPE-BILLING", "billing refusal", "calls it a conflict with 402: *", (what) =>
    retelling(ofCode(...(codesOf[what] ?? [])), { type: "conflict" }),
  ),
  ...each("ERR-TYPE-NOTFOUND", "route of one thing", "answers 410 where nothing is found by *", (route) =>
    onRoute(route, retelling(ofCode("not_found"), { status: 410 })),
  ),
  ...each("ERR-TYPE-RATE", "kind of limit", "answers 503 to who has reached it: *", (kind) =>
    retelling(ofLimit(kind), { status: 503, type: "server_error" }),
  ),
  ...each("ERR-CODE-RATE", "kind of limit", "has a code of its own for who has reached it: *", (kind) =>
    retelling(ofLimit(kind), { code: "too_many_requests" }),
  ),
  ...each("ERR-CODE-WORKFLOW-FILE", "workflow file", "spawns a fix of a workflow file like *", (form) =>
    onRoute(fixRoute, (world, call, perform) => {
      const row = observationOf(world, call);
      const isMeant = row?.locations.some(({ file_path }) => workflowFiles[form]?.test(file_path));
      return pretending(isMeant ? row : undefined, { locations: [] }, () => perform(world, call));
    }),
  ),
  fault("shows the observations of every workspace to who is signed in", "GET /api/observations/{ref}", workspaceOfObservation),
  fault("shows the jobs of every workspace to who is signed in", "GET /api/jobs/{job_id}", workspaceOfJob),
  fault("lets who is signed in dismiss in every workspace", "POST /api/observations/{ref}/dismiss", workspaceOfObservation),
  fault("lets who is signed in cancel jobs in every workspace", "POST /api/jobs/{job_id}/cancel", workspaceOfJob),
  {
    name: "fixes by the tool what lies in a workflow file",
    breaks: "ERR-CODE-WORKFLOW-FILE",
    ...onTool("submit_fix", (world, call, performTool) => {
      const observation = world.observations[String(call.arguments.ref)];
      if (!observation) return performTool(world, call);
      const { locations } = observation;
      observation.locations = [];
      const reply = performTool(world, call);
      observation.locations = locations;
      return reply;
    }),
  },
];

function isJobRead(call: IncomingCall): boolean {
  return routeOf(call) === "GET /api/jobs/{job_id}";
}

function isSemantic(call: IncomingCall, { rule }: Reply): boolean {
  return rule.gate === "operation" && routeOf(call) === submitRoute;
}

/** A submission of the workflow that is no more. */
function isRetired({ body }: IncomingCall): boolean {
  return body.kind === "json" && (body.value as { workflow?: unknown } | null)?.workflow === "mini_audit";
}

/** A request with a limit in its query. */
function isLimited({ query }: IncomingCall): boolean {
  return query.limit !== undefined;
}

/** Tells some refusals otherwise. */
function retelling(isMeant: (reply: Reply, call: IncomingCall, world: World) => boolean, { status, ...error }: Told): Around {
  return changing(isMeant, (reply) => ({ ...withError(reply, error), status: status ?? reply.status }));
}

function ofStatus(status: string): (reply: Reply) => boolean {
  return (reply) => reply.rule.code !== null && String(reply.status) === status;
}

function ofCode(...codes: readonly string[]): (reply: Reply) => boolean {
  return ({ rule }) => rule.code !== null && codes.includes(rule.code);
}

function ofSchema({ rule }: Reply): boolean {
  return rule.code === "invalid_payload" && rule.gate === "schema";
}

function causeOf(reply: Reply, call: IncomingCall): string | undefined {
  if (reply.rule.code === "no_ticket_integration") return "ticket";
  if (ofSchema(reply)) return call.body.kind === "json" ? "body" : "query";
  if (reply.rule.code !== "invalid_payload" || routeOf(call) !== submitRoute) return undefined;
  const { workflow } = bodyOf(call);
  return Object.hasOwn(contract.workflows, String(workflow)) && workflow !== "mini_audit" ? "params" : "retired workflow";
}

function workspaceOfObservation({ observations }: World, name: (part: string) => string): string | undefined {
  return observations[name("ref")]?.workspace;
}

function workspaceOfJob({ jobs }: World, name: (part: string) => string): string | undefined {
  return jobs[name("job_id")]?.workspace;
}
