import { contract } from "../../src/contract/load.js";
import type { ErrorCode } from "../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../src/service/call.js";
import type { World } from "../../src/service/world/world.js";
import { changing, each } from "./family.js";
import { limitHit } from "./limits.js";
import { type Around, bodyOf, type Mutant, onRoute, routeOf, withError, withoutHeader } from "./mutant.js";

/** What is told otherwise of a refusal: its status, and fields of its error object. */
interface Told {
  status?: number;
  [field: string]: unknown;
}

const submission = "POST /api/repos/{owner}/{repo}/{branch}/jobs";

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

/** Faults in refusals: one status, one code, one route, one cause at a time is told otherwise. */
export const errorMutants: Mutant[] = [
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
  ...each("GEN-JSON-REQUEST", "route with a JSON body", "takes JSON for a strange content type on *", (route) =>
    onRoute(route, (world, call, perform) =>
      perform(
        world,
        call.body.kind === "json" ? { ...call, body: { kind: "wrong-type", contentType: "application/json" } } : call,
      ),
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
  ...each("RETRY-AFTER-429", "kind of limit", "leaves out Retry-After for who has reached it: *", (kind) =>
    changing(ofLimit(kind), (reply) => withoutHeader(reply, "retry-after")),
  ),
  ...each("RETRY-AFTER-429", "kind of limit", "says when, not how long, to who has reached it: *", (kind) =>
    changing(ofLimit(kind), (reply, _call, { now }) => ({
      ...reply,
      headers: { ...reply.headers, "retry-after": new Date(now + 60_000).toUTCString() },
    })),
  ),
];

/** Tells some refusals otherwise. */
export function retelling(
  isMeant: (reply: Reply, call: IncomingCall, world: World) => boolean,
  { status, ...error }: Told,
): Around {
  return changing(isMeant, (reply) => ({ ...withError(reply, error), status: status ?? reply.status }));
}

function ofStatus(status: string): (reply: Reply) => boolean {
  return (reply) => reply.rule.code !== null && String(reply.status) === status;
}

function ofCode(...codes: readonly string[]): (reply: Reply) => boolean {
  return ({ rule }) => rule.code !== null && codes.includes(rule.code);
}

function ofLimit(kind: string): (reply: Reply, call: IncomingCall, world: World) => boolean {
  return (reply, call, world) => reply.status === 429 && limitHit(world, call, reply) === kind;
}

function ofSchema({ rule }: Reply): boolean {
  return rule.code === "invalid_payload" && rule.gate === "schema";
}

function causeOf(reply: Reply, call: IncomingCall): string | undefined {
  if (reply.rule.code === "no_ticket_integration") return "ticket";
  if (ofSchema(reply)) return call.body.kind === "json" ? "body" : "query";
  if (reply.rule.code !== "invalid_payload" || routeOf(call) !== submission) return undefined;
  const { workflow } = bodyOf(call);
  return Object.hasOwn(contract.workflows, String(workflow)) && workflow !== "mini_audit" ? "params" : "retired workflow";
}
