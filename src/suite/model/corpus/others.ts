import { DEFAULT_ROLE } from "../../statements/roles.js";
import { INVALID_REQUESTS } from "../commands/invalid-requests.js";
import { INVALID_KEYS } from "../commands/keys.js";
import { LIMITED_OPERATIONS } from "../commands/limited-roles.js";
import { INVALID_QUERIES, OTHER_LISTS } from "../commands/lists.js";
import { READS } from "../commands/repositories.js";
import { REFUSED_CREDENTIALS, TOOL_NAMES } from "../commands/tools.js";
import { LIMITED_ROLES } from "../rules/callers.js";
import { type CorpusEntry, createCall, createRoutePoint, FIRST_SPARE, find, submit } from "./entry.js";

/** A job that has ended, an observation and a repository. */
const setupCalls = [createCall("register"), submit, createCall("cancel"), find];

/** Returns a request of every operation by a role on one surface. */
function listRequests(as: string, surface: "rest" | "tool") {
  return LIMITED_OPERATIONS.map((operation) => createCall("useLimitedRole", { what: operation, as, surface }));
}

/** Entries for tools, repositories, keys and refusals. */
export const otherEntries: readonly CorpusEntry[] = [
  ...TOOL_NAMES.reading.map((tool) => ({
    points: [`tools/${tool}`],
    commands: [createCall("readByTool", { tool })],
  })),
  ...TOOL_NAMES.writing.map((tool) => ({
    points: [`tools/${tool}`],
    commands: [createCall("writeByTool", { tool, as: "viewer" }), createCall("writeByTool", { tool })],
  })),
  ...REFUSED_CREDENTIALS.map((as) => ({
    points: [`refusals/${as}`],
    commands: [createCall("useRefusedCredential", { as }), createCall("useRefusedCredential", { as, surface: "tool" })],
  })),
  ...LIMITED_ROLES.flatMap((role) => [
    ...(role === "triage" || role === "no_fix"
      ? []
      : [{ points: [`refusals/${role} over rest`], commands: [...setupCalls, ...listRequests(role, "rest")] }]),
    ...(role === "no_delete"
      ? []
      : [{ points: [`refusals/${role} over tools`], commands: [...setupCalls, ...listRequests(role, "tool")] }]),
  ]),
  ...INVALID_REQUESTS.map((what) => ({ points: [`refusals/${what}`], commands: [createCall("sendInvalid", { what })] })),
  { points: ["error codes/bad_request"], commands: [createCall("sendInvalid", { what: "a body that is not JSON" })] },
  { points: ["error codes/payload_too_large"], commands: [createCall("sendInvalid", { what: "a body that is too large" })] },
  {
    points: ["error codes/invalid_cursor"],
    commands: OTHER_LISTS.map((to) => createCall("reuseCursor", { to })),
  },
  {
    points: [createRoutePoint("POST /api/repos")],
    commands: [
      createCall("register", { mode: "borrowed" }),
      createCall("listRepositories"),
      createCall("register", { mode: "installed" }),
    ],
  },
  {
    points: ["error codes/repo_no_longer_public"],
    commands: [createCall("register", { repo: "private" }), createCall("register", { repo: "gone" })],
  },
  {
    points: ["error codes/repo_cap_exceeded", "error codes/plan_repo_cap_exceeded"],
    commands: [...Array.from({ length: 4 }, () => createCall("registerFree")), createCall("registerFree", { mode: "installed" })],
  },
  { points: ["refusals/a workflow that the plan leaves out"], commands: [createCall("registerFree"), createCall("submitFree")] },
  { points: ["error codes/plan_restricted", createRoutePoint("GET /api/openapi.json")], commands: [createCall("readOpenApi")] },
  { points: ["error codes/rate_limit_qps", "refusals/too many requests of a key"], commands: [createCall("exceedRate")] },
  { points: ["refusals/too many resets"], commands: [createCall("register"), createCall("exceedResets")] },
  { points: ["error codes/rate_limit_budget"], commands: [createCall("exceedBudget")] },
  {
    points: ["error codes/repo_already_registered", "tools/register_repository"],
    commands: [
      createCall("register", { repo: "repo" }),
      createCall("register", { surface: "tool" }),
      createCall("listRepositories"),
    ],
  },
  {
    points: [
      createRoutePoint("DELETE /api/repos/{owner}/{repo}/{branch}"),
      createRoutePoint("POST /api/repos"),
      createRoutePoint("GET /api/repos"),
    ],
    commands: [
      createCall("register"),
      createCall("remove", { as: "no_delete" }),
      createCall("viewRepository", { repo: FIRST_SPARE }),
      createCall("remove"),
      createCall("listRepositories"),
    ],
  },
  {
    points: [createRoutePoint("POST /api/repos/{owner}/{repo}/{branch}/reset")],
    commands: [createCall("register"), createCall("reset"), createCall("reset", { flag: "history" })],
  },
  ...READS.map((operation) => ({
    points: [createRoutePoint(operation)],
    commands: [
      createCall("viewRepository", { read: operation }),
      createCall("viewRepository", { read: operation, repo: FIRST_SPARE }),
    ],
  })),
  {
    points: [createRoutePoint("GET /api/forecasts/lookup")],
    commands: [createCall("forecast"), createCall("forecast", { workflow: "none" })],
  },
  {
    points: ["refusals/no credit"],
    commands: [
      submit,
      createCall("cancel"),
      createCall("setCredit", { usd: "none" }),
      createCall("submit", { workflow: "standard_audit", force: true }),
      createCall("submit", { workflow: "standard_audit", force: true, surface: "tool" }),
      createCall("register"),
      createCall("setCredit"),
    ],
  },
  { points: ["refusals/spending paused"], commands: [createCall("pauseSpend", { on: true }), submit, createCall("pauseSpend")] },
  {
    points: ["refusals/unverified"],
    commands: [
      createCall("failVerification", { on: true }),
      createCall("register"),
      createCall("failVerification"),
      createCall("register"),
    ],
  },
  {
    points: ["refusals/suspended workspace"],
    commands: [
      submit,
      createCall("suspend"),
      createCall("viewJob"),
      createCall("viewJob", { surface: "tool" }),
      createCall("reactivate"),
      createCall("viewJob"),
    ],
  },
  { points: ["refusals/too many keys"], commands: Array.from({ length: 18 }, () => createCall("createKey")) },
  {
    points: [createRoutePoint("POST /api/keys"), createRoutePoint("PATCH /api/keys/{key_id}")],
    commands: [
      createCall("createKey"),
      createCall("patchKey"),
      createCall("patchKey", { change: "raise the rate" }),
      createCall("patchKey", { change: "clear the rate" }),
      createCall("useKey"),
      createCall("patchKey", { change: "narrow the scopes" }),
    ],
  },
  ...INVALID_KEYS.map((wrong) => ({
    points: [createRoutePoint("POST /api/keys")],
    commands: [createCall("createKey", { wrong })],
  })),
  {
    points: [createRoutePoint("POST /api/keys")],
    commands: [
      createCall("createKey", { by: "session:owner" }),
      createCall("patchKey", { by: "session:owner" }),
      createCall("patchKey", { by: "session:member" }),
      createCall("useKey"),
    ],
  },
  {
    points: [createRoutePoint("PATCH /api/keys/{key_id}")],
    commands: [
      createCall("createKey", { rate: "300" }),
      createCall("patchKey"),
      createCall("patchKey", { change: "raise the rate" }),
      createCall("patchKey", { change: "other scopes" }),
      find,
      createCall("useKey", { for: "acknowledge" }),
      createCall("useKey"),
    ],
  },
  ...INVALID_QUERIES.map((wrong) => ({
    points: ["error codes/invalid_payload"],
    commands: [createCall("listWithInvalidQuery", { wrong }), createCall("listWithInvalidQuery", { wrong, list: "jobs" })],
  })),
  {
    points: ["filters/repo"],
    commands: [
      find,
      createCall("listObservations", { filter: "none", elsewhere: "another" }),
      createCall("listObservations", { filter: "status=new", elsewhere: "another" }),
    ],
  },
  {
    points: ["refusals/a key that was revoked"],
    commands: [createCall("createKey"), createCall("useKey"), createCall("revokeKey"), createCall("useKey")],
  },
  {
    points: ["refusals/a key that has ended"],
    commands: [createCall("createKey"), createCall("useKey"), createCall("wait", { seconds: "a day" }), createCall("useKey")],
  },
  {
    points: ["refusals/a key managing keys"],
    commands: [
      createCall("createKey", { by: DEFAULT_ROLE }),
      createCall("createKey", { by: "session:member" }),
      createCall("createKey"),
      createCall("patchKey", { by: DEFAULT_ROLE }),
    ],
  },
  {
    points: ["refusals/a missing scope"],
    commands: [
      find,
      createCall("createKey"),
      createCall("useKey", { for: "acknowledge" }),
      createCall("useKey", { for: "a setting" }),
      submit,
      createCall("retry", { as: "viewer" }),
      createCall("triage", { as: "viewer" }),
    ],
  },
];
