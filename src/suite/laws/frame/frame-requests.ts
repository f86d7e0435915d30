import type { Step } from "../../../engine/scenario/format.js";
import { listVariables } from "../../../engine/scenario/interpolate.js";
import { findFrame } from "../../statements/frames.js";
import { triageActions } from "../../statements/observations.js";
import { findOperationStatement, findToolOperation, type Operation } from "../../statements/operations.js";
import { isOfOtherWorkspace, listRoleScopes, refusedCredentials, roles } from "../../statements/roles.js";
import { hasScope } from "../../statements/scopes.js";
import { REGISTRATION, SPARE_TRIPLE } from "../../statements/setup-steps.js";
import { findToolStatement, isToolPurpose, toolPurposes } from "../../statements/tools.js";
import { foreignLists, foreignRequests, narrowedLists } from "../isolation/foreign-requests.js";
import { findOwned, OWNER_MARK_WORDS } from "../isolation/owner-data.js";
import { isIdleBy } from "./idle-requests.js";

/** A request whose further effects are judged. */
export interface FrameRequest {
  /** The request and its caller, for the coverage. */
  name: string;
  operation: Operation;
  surface: "rest" | "mcp";
  step: Step;
  /** Creates the resources of this request alone. */
  setup: readonly Step[];
  /** How the request differs from a valid one, for messages; empty for a valid one. */
  how: string;
  /** The clause by which a refusal changes nothing; absent for a valid request. */
  refusedBy?: string;
}

type Valid = Pick<FrameRequest, "operation" | "surface" | "step">;

/** Credentials that the server always refuses. */
const CREDENTIAL_ROLES = ["none", "expired", "revoked", "fenced"];
const otherWorkspaceRoles = Object.keys(roles).filter((role) => isOfOtherWorkspace(role) && !(role in refusedCredentials));

/** Creates the resources of variables that only one request names. */
const setups: Readonly<Record<string, readonly Step[]>> = {
  ref: [findOwned("ref")],
  closed: [findOwned("closed"), { rest: "POST /api/observations/{closed}/complete", json: {} }],
  fix: [{ rest: "POST /api/observations/{ref}/fix", json: {}, save: { fix: "/job_id" } }],
};

const dismissalBody = triageActions.dismiss.body("Sent without a right value by the runner.");

/** Bodies that a route must refuse, each with its clause. */
const wrongBodies: Readonly<Record<string, readonly [json: unknown, clause: string][]>> = {
  [triageActions.dismiss.route]: [
    [{ ...dismissalBody, dismissal_category: "exhausted_fix_attempts" }, "OBS-DISMISS-EXHAUSTED-REFUSED"],
    [{ ...dismissalBody, dismissal_note: undefined }, "OBS-DISMISS-BOTH-REQUIRED"],
  ],
  [triageActions.reopen.route]: [[{}, "OBS-REOPEN-REASON-REQUIRED"]],
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": [
    [{ workflow: "mini_audit", params: {} }, "JOB-SUBMIT-ONLY-201"],
    [{ params: {} }, "JOB-SUBMIT-ONLY-201"],
  ],
  "POST /api/repos": [[{ ...REGISTRATION, access_mode: "borrowed" }, "REPO-REGISTER-REFUSED-UNLISTED"]],
};

const tableRequests: readonly Valid[] = [
  ...foreignRequests.filter(({ subject }) => !subject.includes("key")),
  ...[...foreignLists, ...narrowedLists],
].map(({ operation, step }) => createValid(operation, step));

const validRequests: readonly Valid[] = [
  ...tableRequests,
  ...Object.entries<Partial<Step>>({
    "GET /api/forecasts/lookup": { query: { workflow: "audit" } },
    "GET /api/openapi.json": {},
    "POST /api/repos": { json: REGISTRATION },
  }).map(([route, more]) => createValid(route, { rest: route, ...more })),
  ...toolPurposes
    .filter((purpose) => !tableRequests.some(({ step }) => step.mcp?.tool === purpose))
    .map((purpose) => createValid(purpose, { mcp: { tool: purpose, arguments: createArguments(purpose) } })),
  ...listWithOptionalArguments(),
];

/** Every operation with every kind of caller, accepted and refused. Requests about keys are in `key-requests.ts`. */
export const frameRequests: readonly FrameRequest[] = validRequests.flatMap((one, index) => [
  createAccepted(one, index),
  ...(isFirst(one, index) && !findFrame(one.operation)
    ? [createByRole(one, "viewer"), ...listRefused(one, index).slice(0, 1)]
    : []),
  ...(findFrame(one.operation) && !isIdleBy(one.operation, listVariables(one.step)) ? listRefused(one, index) : []),
]);

/** Returns whether no earlier request has the same operation on the same surface. */
function isFirst({ operation, surface }: Valid, index: number): boolean {
  return validRequests.findIndex((other) => other.operation === operation && other.surface === surface) === index;
}

function createValid(operation: string, step: Step): Valid {
  return isToolPurpose(operation)
    ? { operation: findToolOperation(operation), surface: "mcp", step }
    : { operation: operation as Operation, surface: "rest", step };
}

function createArguments(purpose: (typeof toolPurposes)[number]): Record<string, unknown> {
  return { ...(purpose === "register_repository" && SPARE_TRIPLE), ...findToolStatement(purpose).sample };
}

/** Returns the read tools with each optional argument. A tool whose target file does not name the argument is left out of the cases. */
function listWithOptionalArguments(): Valid[] {
  const firsts = tableRequests.filter(
    ({ operation, step }, index) =>
      step.mcp !== undefined &&
      findFrame(operation) === undefined &&
      tableRequests.findIndex((other) => other.step.mcp?.tool === step.mcp?.tool) === index,
  );
  return Object.entries({ limit: 5, search: OWNER_MARK_WORDS, area: "errors" }).flatMap(([name, value]) =>
    firsts.map(({ step: { mcp }, ...one }) => ({
      ...one,
      step: { mcp: { ...mcp, arguments: { ...mcp?.arguments, [name]: value } } },
    })),
  );
}

/** A valid request has its own resources, so that no other request of the case changes them. */
function createAccepted({ step, ...one }: Valid, index: number): FrameRequest {
  const names = findFrame(one.operation) ? listVariables(step) : [];
  const own = (text: Step): Step =>
    JSON.parse(
      JSON.stringify(text)
        .replaceAll(/\{(ref|closed|fix)\}/g, `{$1_${index}}`)
        .replaceAll(/"(ref|closed|fix)":"\//g, `"$1_${index}":"/`),
    );
  const setup = Object.entries(setups).flatMap(([name, steps]) => (names.includes(name) ? steps : []));
  return createFrameRequest({ ...one, step: setup.length > 0 ? own(step) : step }, "", { setup: setup.map(own) });
}

function createByRole({ step, ...one }: Valid, as: string): FrameRequest {
  return createFrameRequest({ ...one, step: { ...step, as } }, ` as ${as}`);
}

/** Returns requests that the server must refuse: without a valid key, from another workspace, without the scope, and with invalid content. */
function listRefused(one: Valid, index: number): FrameRequest[] {
  const { operation, surface, step } = one;
  const by = (as: string, refusedBy: string) => ({ ...createByRole(one, as), refusedBy });
  const { viewClause, scopes, subject } = findOperationStatement(operation);
  const denied = Object.keys(roles).filter(
    (role) => roles[role]?.scopes && !scopes.every((scope) => hasScope(listRoleScopes(role), scope)),
  );
  const narrow = surface === "mcp" ? denied[index % denied.length] : viewClause && "viewer";
  const other = otherWorkspaceRoles[index % otherWorkspaceRoles.length];
  return [
    ...CREDENTIAL_ROLES.map((as) => by(as, refusedCredentials[as] ?? "")),
    ...(subject.length > 0 && operation !== "POST /api/repos" && other !== undefined ? [by(other, "KEY-WORKSPACE")] : []),
    ...(narrow === undefined || narrow === "" ? [] : [by(narrow, surface === "mcp" ? "MCP-SCOPE-REFUSED" : (viewClause ?? ""))]),
    ...(surface === "mcp" ? [createUndeclared(one)] : /^(POST|PATCH) /.test(step.rest ?? "") ? [createMalformed(one)] : []),
    ...listInvalidBodies(one),
  ];
}

/** The target file does not name this argument, so the call uses the names on the server. */
function createUndeclared({ step: { mcp }, ...one }: Valid): FrameRequest {
  const { tool, arguments: given = {} } = mcp ?? {};
  const named = Object.entries(given).map(([name, value]) => [`{binding.tool_args.${tool}.${name}}`, value]);
  const call = {
    ...{ call: `{binding.tools.${tool}}`, effect: findOperationStatement(one.operation).effect },
    arguments: { ...Object.fromEntries(named), no_such_argument: 1 },
  };
  return createFrameRequest({ ...one, step: { mcp: call } }, " with an undeclared argument", { refusedBy: "MCP-ARG-EFFECT" });
}

function createMalformed({ step: { json: _, ...step }, ...one }: Valid): FrameRequest {
  const broken: Step = { ...step, headers: { "Content-Type": "application/json" }, body: "[1,,2" };
  return createFrameRequest({ ...one, step: broken }, " with a body that is not JSON", { refusedBy: "ERR-TYPE-MALFORMED" });
}

function listInvalidBodies({ step, ...one }: Valid): FrameRequest[] {
  if (one.surface === "mcp") return [];
  return (wrongBodies[one.operation] ?? []).map(([json, refusedBy]) =>
    createFrameRequest({ ...one, step: { ...step, json } }, " with an invalid body", { refusedBy }),
  );
}

function createFrameRequest(
  one: Valid,
  how: string,
  { setup = [], refusedBy }: { setup?: readonly Step[]; refusedBy?: string } = {},
): FrameRequest {
  const { rest, mcp, query, json, as } = one.step;
  const content = JSON.stringify({ ...query, ...mcp?.arguments, ...(how.includes("body") && { json }) });
  const name = `${rest ?? mcp?.tool ?? mcp?.call}${content === "{}" ? "" : ` ${content}`}${as === undefined ? how : ` as ${as}`}`;
  return { ...one, name, how, setup, ...(refusedBy !== undefined && { refusedBy }) };
}
