import type { Step } from "../../engine/scenario/format.js";
import type { BindingProof } from "../../engine/target/rules.js";
import { roles, scopesOfRole } from "../statements/roles.js";
import type { Scope } from "../statements/scopes.js";
import { openFinding } from "../statements/setup-steps.js";

const READS = ["GET /api/jobs?limit=1", "GET /api/repos?limit=1", "GET /api/observations?limit=1"] as const;
const REPO = { owner: "{repo.owner}", repo: "{repo.name}", branch: "{repo.branch}" };

/** Requests that need one scope each, on REST and on the tool server. */
const acts: Readonly<Record<"rest" | "mcp", Readonly<Partial<Record<Scope, Step>>>>> = {
  rest: {
    triage_observations: { rest: "POST /api/observations/{ref}/acknowledge" },
    submit_audit_jobs: { rest: "POST /api/repos/{repo}/jobs", query: { force: "true" }, json: { workflow: "audit", params: {} } },
    submit_fix_jobs: { rest: "POST /api/observations/{ref}/fix", json: {} },
  },
  mcp: {
    view_jobs: { mcp: { tool: "list_jobs", arguments: {} } },
    view_repositories: { mcp: { tool: "canonical_pattern", arguments: REPO } },
    triage_observations: { mcp: { tool: "acknowledge_observation", arguments: { ref: "{ref}" } } },
    submit_audit_jobs: { mcp: { tool: "submit_job", arguments: { ...REPO, workflow: "audit" } } },
    submit_fix_jobs: { mcp: { tool: "submit_fix", arguments: { ref: "{ref}" } } },
  },
};

/** How a server shows that the key of a role is refused, or has the scopes of the role, by the need for the key. */
export const roleProofs: Readonly<Record<string, BindingProof>> = Object.fromEntries(
  Object.entries(roles).flatMap(([role, { refusedBy, scopes }]): [string, BindingProof][] => {
    if (refusedBy !== undefined) return [[`key.${role}`, refusedKey(role)]];
    return scopes === undefined ? [] : [[`key.${role}`, { ways: [scoped(role, "rest"), scoped(role, "mcp")] }]];
  }),
);

function refusedKey(role: string): BindingProof {
  const byTool: Step = { mcp: { tool: "list_observations", arguments: {} }, as: role, expect: { refused: true } };
  return { ways: [...READS.map((rest): Step[] => [{ rest, as: role, expect: { status: 401 } }]), [byTool]] };
}

/** The key does exactly what its scopes allow. */
function scoped(role: string, surface: "rest" | "mcp"): readonly Step[] {
  const held = scopesOfRole(role);
  const steps = Object.entries(acts[surface]).map(([scope, act]): Step => {
    const has = held.some((one) => one === scope);
    const status = has ? { not: { in: [401, 403] } } : "4xx";
    const tool = has ? { content: { type: "string" } } : { refused: true as const };
    return { ...act, as: role, expect: surface === "rest" ? { status } : tool };
  });
  return [openFinding, ...steps];
}
