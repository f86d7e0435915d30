import { DEFAULT_ROLE } from "../../statements/roles.js";
import { INVALID_REQUESTS } from "../commands/invalid-requests.js";
import { INVALID_KEYS } from "../commands/keys.js";
import { LIMITED_OPERATIONS } from "../commands/limited-roles.js";
import { INVALID_QUERIES, OTHER_LISTS } from "../commands/lists.js";
import { READS } from "../commands/repositories.js";
import { REFUSED_CREDENTIALS, TOOLS } from "../commands/tools.js";
import { LIMITED_ROLES } from "../rules/callers.js";
import { type CorpusEntry, call, FIRST_SPARE, find, routePoint, submit } from "./entry.js";

/** A job that has ended, an observation and a repository. */
const things = [call("register"), submit, call("cancel"), find];

/** Returns a request of every operation by a role on one surface. */
function requestsOfRole(as: string, surface: "rest" | "tool") {
  return LIMITED_OPERATIONS.map((operation) => call("useLimitedRole", { what: operation, as, surface }));
}

/** Entries for tools, repositories, keys and refusals. */
export const otherEntries: readonly CorpusEntry[] = [
  ...TOOLS.reading.map((tool) => ({
    points: [`tools/${tool}`],
    commands: [call("readByTool", { tool })],
  })),
  ...TOOLS.writing.map((tool) => ({
    points: [`tools/${tool}`],
    commands: [call("writeByTool", { tool, as: "viewer" }), call("writeByTool", { tool })],
  })),
  ...REFUSED_CREDENTIALS.map((as) => ({
    points: [`refusals/${as}`],
    commands: [call("useRefusedCredential", { as }), call("useRefusedCredential", { as, surface: "tool" })],
  })),
  ...LIMITED_ROLES.flatMap((role) => [
    ...(role === "triage" || role === "no_fix"
      ? []
      : [{ points: [`refusals/${role} over rest`], commands: [...things, ...requestsOfRole(role, "rest")] }]),
    ...(role === "no_delete"
      ? []
      : [{ points: [`refusals/${role} over tools`], commands: [...things, ...requestsOfRole(role, "tool")] }]),
  ]),
  ...INVALID_REQUESTS.map((what) => ({ points: [`refusals/${what}`], commands: [call("sendInvalid", { what })] })),
  { points: ["error codes/bad_request"], commands: [call("sendInvalid", { what: "a body that is no JSON" })] },
  { points: ["error codes/payload_too_large"], commands: [call("sendInvalid", { what: "a body that is too large" })] },
  {
    points: ["error codes/invalid_cursor"],
    commands: OTHER_LISTS.map((to) => call("reuseCursor", { to })),
  },
  {
    points: [routePoint("POST /api/repos")],
    commands: [call("register", { mode: "borrowed" }), call("listRepositories"), call("register", { mode: "installed" })],
  },
  {
    points: ["error codes/repo_no_longer_public"],
    commands: [call("register", { repo: "private" }), call("register", { repo: "gone" })],
  },
  {
    points: ["error codes/repo_cap_exceeded", "error codes/plan_repo_cap_exceeded"],
    commands: [...Array.from({ length: 4 }, () => call("registerFree")), call("registerFree", { mode: "installed" })],
  },
  { points: ["refusals/a workflow that the plan leaves out"], commands: [call("registerFree"), call("submitFree")] },
  { points: ["error codes/plan_restricted", routePoint("GET /api/openapi.json")], commands: [call("readOpenApi")] },
  { points: ["error codes/rate_limit_qps", "refusals/a key too often"], commands: [call("exceedRate")] },
  { points: ["refusals/too many resets"], commands: [call("register"), call("exceedResets")] },
  { points: ["error codes/rate_limit_budget"], commands: [call("exceedBudget")] },
  {
    points: ["error codes/repo_already_registered", "tools/register_repository"],
    commands: [call("register", { repo: "repo" }), call("register", { surface: "tool" }), call("listRepositories")],
  },
  {
    points: [
      routePoint("DELETE /api/repos/{owner}/{repo}/{branch}"),
      routePoint("POST /api/repos"),
      routePoint("GET /api/repos"),
    ],
    commands: [
      call("register"),
      call("remove", { as: "no_delete" }),
      call("viewRepository", { repo: FIRST_SPARE }),
      call("remove"),
      call("listRepositories"),
    ],
  },
  {
    points: [routePoint("POST /api/repos/{owner}/{repo}/{branch}/reset")],
    commands: [call("register"), call("reset"), call("reset", { flag: "history" })],
  },
  ...READS.map((operation) => ({
    points: [routePoint(operation)],
    commands: [call("viewRepository", { read: operation }), call("viewRepository", { read: operation, repo: FIRST_SPARE })],
  })),
  { points: [routePoint("GET /api/forecasts/lookup")], commands: [call("forecast"), call("forecast", { workflow: "none" })] },
  {
    points: ["refusals/no credit"],
    commands: [
      submit,
      call("cancel"),
      call("setCredit", { usd: "none" }),
      call("submit", { workflow: "standard_audit", force: true }),
      call("submit", { workflow: "standard_audit", force: true, surface: "tool" }),
      call("register"),
      call("setCredit"),
    ],
  },
  { points: ["refusals/spending paused"], commands: [call("pauseSpend", { on: true }), submit, call("pauseSpend")] },
  {
    points: ["refusals/unverified"],
    commands: [call("failVerification", { on: true }), call("register"), call("failVerification"), call("register")],
  },
  {
    points: ["refusals/suspended workspace"],
    commands: [
      submit,
      call("suspend"),
      call("viewJob"),
      call("viewJob", { surface: "tool" }),
      call("reactivate"),
      call("viewJob"),
    ],
  },
  { points: ["refusals/too many keys"], commands: Array.from({ length: 18 }, () => call("createKey")) },
  {
    points: [routePoint("POST /api/keys"), routePoint("PATCH /api/keys/{key_id}")],
    commands: [
      call("createKey"),
      call("patchKey"),
      call("patchKey", { change: "raise the rate" }),
      call("patchKey", { change: "clear the rate" }),
      call("useKey"),
      call("patchKey", { change: "narrow the scopes" }),
    ],
  },
  ...INVALID_KEYS.map((wrong) => ({
    points: [routePoint("POST /api/keys")],
    commands: [call("createKey", { wrong })],
  })),
  {
    points: [routePoint("POST /api/keys")],
    commands: [
      call("createKey", { by: "session:owner" }),
      call("patchKey", { by: "session:owner" }),
      call("patchKey", { by: "session:member" }),
      call("useKey"),
    ],
  },
  {
    points: [routePoint("PATCH /api/keys/{key_id}")],
    commands: [
      call("createKey", { rate: "300" }),
      call("patchKey"),
      call("patchKey", { change: "raise the rate" }),
      call("patchKey", { change: "other scopes" }),
      find,
      call("useKey", { for: "acknowledge" }),
      call("useKey"),
    ],
  },
  ...INVALID_QUERIES.map((wrong) => ({
    points: ["error codes/invalid_payload"],
    commands: [call("listWithInvalidQuery", { wrong }), call("listWithInvalidQuery", { wrong, list: "jobs" })],
  })),
  {
    points: ["filters/repo"],
    commands: [
      find,
      call("listObservations", { filter: "none", elsewhere: "another" }),
      call("listObservations", { filter: "status=new", elsewhere: "another" }),
    ],
  },
  {
    points: ["refusals/a key that was revoked"],
    commands: [call("createKey"), call("useKey"), call("revokeKey"), call("useKey")],
  },
  {
    points: ["refusals/a key that has ended"],
    commands: [call("createKey"), call("useKey"), call("wait", { seconds: "a day" }), call("useKey")],
  },
  {
    points: ["refusals/a key managing keys"],
    commands: [
      call("createKey", { by: DEFAULT_ROLE }),
      call("createKey", { by: "session:member" }),
      call("createKey"),
      call("patchKey", { by: DEFAULT_ROLE }),
    ],
  },
  {
    points: ["refusals/a scope too few"],
    commands: [
      find,
      call("createKey"),
      call("useKey", { for: "acknowledge" }),
      call("useKey", { for: "a setting" }),
      submit,
      call("retry", { as: "viewer" }),
      call("triage", { as: "viewer" }),
    ],
  },
];
