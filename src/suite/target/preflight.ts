import { contract } from "../../contract/load.js";
import type { PreflightRules, ScopeProbe } from "../../engine/preflight/rules.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { encodeTriple } from "../request-rules.js";
import { responses } from "../response-rules.js";
import { listRoleScopes, roles } from "../statements/roles.js";
import type { Scope } from "../statements/scopes.js";
import { inferBindings } from "./infer-bindings.js";

const REPOSITORIES = "/api/repos?limit=1";
const JOBS = "/api/jobs?limit=1";
const NOBODY = "00000000-0000-4000-8000-000000000000";

/** States how to check that a server is the service, and what each key may do. */
export const preflight: PreflightRules = {
  basePath: "/api",
  reads: [REPOSITORIES, JOBS, "/api/observations?limit=1"],
  docsPath: "/openapi.json",
  isOfService(body) {
    if (!isRecord(body)) return false;
    const error = isRecord(body.error) ? body.error : {};
    return typeof error.type === "string" || typeof error.code === "string" || Array.isArray(body[responses.page.rows]);
  },
  isRefused: (role) => roles[role]?.refusedBy !== undefined,
  holds: (role, scope) => listRoleScopes(role).some((one) => one === scope),
  repoPath: (repo) => `/api/repos/${encodeTriple(repo)}`,
  look: inferBindings,
  sessionProbe: {
    rest: `PATCH /api/keys/${NOBODY}`,
    isRefused: (role) => contract.roles.sessions[role]?.manages_keys === false,
  },
  scopeProbes: {
    reads: [probe("view_repositories", `GET ${REPOSITORIES}`), probe("view_jobs", `GET ${JOBS}`)],
    writes: [
      probe("submit_audit_jobs", `POST /api/jobs/${NOBODY}/cancel`),
      probe("triage_observations", "POST /api/observations/NONE-0/acknowledge"),
      probe("submit_fix_jobs", "POST /api/observations/NONE-0/fix"),
    ],
  },
};

function probe(scope: Scope, rest: string): ScopeProbe {
  return { scope, rest };
}
