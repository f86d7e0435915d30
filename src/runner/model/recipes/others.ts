import { TRESPASSERS } from "../callers.js";
import { FILTERS } from "../commands/lists.js";
import { MISUSE_NAMES } from "../commands/misuses.js";
import { INTRUDERS, TOOLS } from "../commands/tools.js";
import { FORBIDDEN } from "../commands/trespass.js";
import { find, go, type Recipe, routeOf, submit } from "./recipe.js";

const READ_TOOLS =
  "repository_overview rules_for_file canonical_pattern recent_issues pending_migrations list_guides read_guide forecast knowledge list_fix_prs list_repositories list_observations".split(
    " ",
  );
const WRITE_TOOLS =
  "set_guidance clear_guidance set_workspace_context clear_workspace_context set_setting clear_setting set_learn_mode update_repository_metadata record_doc_read".split(
    " ",
  );

/** A job that has ended, an observation and a repository of ours. */
const things = [go("register"), submit, go("cancel"), find];

/** Everything that a caller is refused, over one surface. */
function trespasses(as: number, surface: number) {
  return FORBIDDEN.map((_, what) => go("trespass", { what, as, surface }));
}

/** Recipes for tools, repositories, keys and refusals. */
export const otherRecipes: readonly Recipe[] = [
  ...Array.from({ length: TOOLS.reading }, (_, tool) => ({
    points: [`tools/${READ_TOOLS[tool]}`],
    commands: [go("readByTool", { tool })],
  })),
  ...Array.from({ length: TOOLS.writing }, (_, tool) => ({
    points: [`tools/${WRITE_TOOLS[tool]}`],
    commands: [go("writeByTool", { tool, as: 5 }), go("writeByTool", { tool })],
  })),
  ...INTRUDERS.map((role, as) => ({
    points: [`refusals/${role}`],
    commands: [go("intrude", { as }), go("intrude", { as, surface: 1 })],
  })),
  ...TRESPASSERS.flatMap((role, as) => [
    ...(role === "triage" || role === "no_fix"
      ? []
      : [{ points: [`refusals/${role} over rest`], commands: [...things, ...trespasses(as, 0)] }]),
    ...(role === "no_delete" ? [] : [{ points: [`refusals/${role} over tools`], commands: [...things, ...trespasses(as, 1)] }]),
  ]),
  ...MISUSE_NAMES.map((name, what) => ({ points: [`refusals/${name}`], commands: [go("misuse", { what })] })),
  { points: ["error codes/bad_request"], commands: [go("misuse", { what: 0 })] },
  { points: ["error codes/payload_too_large"], commands: [go("misuse", { what: 2 })] },
  {
    points: ["error codes/invalid_cursor"],
    commands: [go("carryCursor"), go("carryCursor", { to: 1 }), go("carryCursor", { to: 2 })],
  },
  {
    points: [routeOf("POST /api/repos")],
    commands: [go("register", { mode: 3 }), go("listRepositories"), go("register", { mode: 1 })],
  },
  { points: ["error codes/repo_no_longer_public"], commands: [go("register", { repo: 1 }), go("register", { repo: 2 })] },
  {
    points: ["error codes/repo_cap_exceeded", "error codes/plan_repo_cap_exceeded"],
    commands: [...Array.from({ length: 4 }, () => go("registerFree")), go("registerFree", { mode: 1 })],
  },
  { points: ["refusals/a workflow that the plan leaves out"], commands: [go("registerFree"), go("submitFree")] },
  { points: ["error codes/plan_restricted", routeOf("GET /api/openapi.json")], commands: [go("readGated")] },
  { points: ["error codes/rate_limit_qps", "refusals/a key too often"], commands: [go("exceedRate")] },
  { points: ["refusals/too many resets"], commands: [go("register"), go("exceedResets")] },
  { points: ["error codes/rate_limit_budget"], commands: [go("exceedBudget")] },
  {
    points: ["error codes/repo_already_registered", "tools/register_repository"],
    commands: [go("register", { repo: 3 }), go("register", { surface: 1 }), go("listRepositories")],
  },
  {
    points: [routeOf("DELETE /api/repos/{owner}/{repo}/{branch}"), routeOf("POST /api/repos"), routeOf("GET /api/repos")],
    commands: [
      go("register"),
      go("remove", { as: 5 }),
      go("lookAtRepository", { repo: 3 }),
      go("remove"),
      go("listRepositories"),
    ],
  },
  {
    points: [routeOf("POST /api/repos/{owner}/{repo}/{branch}/reset")],
    commands: [go("register"), go("reset"), go("reset", { flag: 1 })],
  },
  ...Array.from({ length: 5 }, (_, read) => ({
    points: [readOf(read)],
    commands: [go("lookAtRepository", { read }), go("lookAtRepository", { read, repo: 3 })],
  })),
  { points: [routeOf("GET /api/forecasts/lookup")], commands: [go("forecast"), go("forecast", { workflow: 3 })] },
  {
    points: ["refusals/no credit"],
    commands: [
      submit,
      go("cancel"),
      go("setCredit", { usd: 1 }),
      go("submit", { workflow: 1, force: 1 }),
      go("submit", { workflow: 1, force: 1, surface: 1 }),
      go("register"),
      go("setCredit"),
    ],
  },
  { points: ["refusals/spending paused"], commands: [go("pauseSpend", { on: 1 }), submit, go("pauseSpend")] },
  {
    points: ["refusals/unverified"],
    commands: [go("failVerification", { on: 1 }), go("register"), go("failVerification"), go("register")],
  },
  {
    points: ["refusals/suspended workspace"],
    commands: [submit, go("suspend"), go("lookAtJob"), go("lookAtJob", { surface: 1 }), go("reactivate"), go("lookAtJob")],
  },
  { points: ["refusals/too many keys"], commands: Array.from({ length: 18 }, () => go("createKey")) },
  {
    points: [routeOf("POST /api/keys"), routeOf("PATCH /api/keys/{key_id}")],
    commands: [
      go("createKey"),
      go("patchKey"),
      go("patchKey", { change: 1 }),
      go("patchKey", { change: 2 }),
      go("useKey"),
      go("patchKey", { change: 3 }),
    ],
  },
  ...Array.from({ length: 6 }, (_, wrong) => ({
    points: [routeOf("POST /api/keys")],
    commands: [go("createKey", { wrong: 3 + wrong })],
  })),
  {
    points: [routeOf("POST /api/keys")],
    commands: [go("createKey", { by: 1 }), go("patchKey", { by: 1 }), go("patchKey", { by: 4 }), go("useKey")],
  },
  {
    points: [routeOf("PATCH /api/keys/{key_id}")],
    commands: [
      go("createKey", { rate: 1 }),
      go("patchKey"),
      go("patchKey", { change: 1 }),
      go("patchKey", { change: 4 }),
      find,
      go("useKey", { for: 1 }),
      go("useKey"),
    ],
  },
  ...Array.from({ length: 6 }, (_, wrong) => ({
    points: ["error codes/invalid_payload"],
    commands: [go("listWrongly", { wrong }), go("listWrongly", { wrong, list: 1 })],
  })),
  {
    points: ["filters/repo"],
    commands: [
      find,
      go("listObservations", { filter: FILTERS - 1, elsewhere: 3 }),
      go("listObservations", { filter: 0, elsewhere: 3 }),
    ],
  },
  { points: ["refusals/a key that was revoked"], commands: [go("createKey"), go("useKey"), go("revokeKey"), go("useKey")] },
  {
    points: ["refusals/a key that has ended"],
    commands: [go("createKey"), go("useKey"), go("wait", { seconds: 5 }), go("useKey")],
  },
  {
    points: ["refusals/a key managing keys"],
    commands: [go("createKey", { by: 5 }), go("createKey", { by: 4 }), go("createKey"), go("patchKey", { by: 5 })],
  },
  {
    points: ["refusals/a scope too few"],
    commands: [
      find,
      go("createKey"),
      go("useKey", { for: 1 }),
      go("useKey", { for: 3 }),
      submit,
      go("retry", { as: 5 }),
      go("triage", { as: 5 }),
    ],
  },
];

function readOf(read: number): string {
  return routeOf(`GET /api/repos/{owner}/{repo}/{branch}${["", "/discovery", "/knowledge", "/fix-prs", "/forecasts"][read]}`);
}
