import type { Step } from "../../engine/scenario/format.js";
import type { BindingProof } from "../../engine/target/rules.js";
import { listRoleScopes, type Role, roles, VIEW_SCOPES } from "../statements/roles.js";
import type { Scope } from "../statements/scopes.js";
import {
  createKeyBody,
  createRegistrationBody,
  openFinding,
  REGISTRATION,
  SPARE,
  startedJob,
} from "../statements/setup-steps.js";
import { createKeyStep, readScopesSteps } from "./key-proofs.js";

const READS = ["GET /api/jobs?limit=1", "GET /api/repos?limit=1", "GET /api/observations?limit=1"] as const;
const REPO = { owner: "{repo.owner}", repo: "{repo.name}", branch: "{repo.branch}" };

/** Requests that need one scope each, on REST and on the tool server. */
const actsByScope: Readonly<Record<"rest" | "mcp", Readonly<Partial<Record<Scope, Step>>>>> = {
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
  Object.entries(roles).flatMap(([role, row]): [string, BindingProof][] => {
    const proof = findRoleProof(role, row);
    return proof ? [[`key.${role}`, proof]] : [];
  }),
);

function findRoleProof(role: string, { refusedBy, scopes, otherWorkspace, refusedDelete, rpm }: Role): BindingProof | undefined {
  if (refusedBy !== undefined) return proveRefusedKey(role);
  if (scopes !== undefined) return getKeyWithScopes(role);
  if (otherWorkspace) return proveOtherWorkspace(role);
  if (refusedDelete !== undefined) return proveWithoutDelete(role);
  if (role === "staff") return proveStaff(role);
  return rpm === undefined ? undefined : proveLimitedKey(role, rpm);
}

function proveRefusedKey(role: string): BindingProof {
  const byTool: Step = { mcp: { tool: "list_observations", arguments: {} }, as: role, expect: { refused: true } };
  return { ways: [...READS.map((rest): Step[] => [{ rest, as: role, expect: { status: 401 } }]), [byTool]] };
}

/** The key does not see the repository of `full`, its jobs or its place in the list, or may register it again. */
function proveOtherWorkspace(role: string): BindingProof {
  const triple = createRegistrationBody(REPO);
  return {
    ways: [
      [{ rest: "GET /api/repos/{repo}", as: role, expect: { status: "4xx" } }],
      [startedJob, { rest: "GET /api/jobs/{job}", as: role, expect: { status: "4xx" } }],
      [openFinding, { rest: "GET /api/observations/{ref}", as: role, expect: { status: "4xx" } }],
      [{ rest: "POST /api/repos", as: role, json: { ...triple, access_mode: "anonymous" }, expect: { status: { not: 409 } } }],
    ],
  };
}

/**
 * The key has every scope, on one surface, and the server refuses it a deletion, in one access mode. A server that lets a member delete too
 * refuses nobody, which is not the fault of the key.
 */
function proveWithoutDelete(role: string): BindingProof {
  const registrationStep = (mode: string): Step => ({
    rest: "POST /api/repos",
    json: { ...REGISTRATION, access_mode: mode },
    given: { status: "2xx" },
  });
  const deletedStep: Step = { rest: `DELETE /api/repos/${SPARE}` };
  const step: Step = { ...deletedStep, as: role, expect: { status: "4xx" } };
  const modes = ["anonymous", "installed"];
  return {
    ways: [
      ...(["rest", "mcp"] as const).flatMap((surface) =>
        modes.map((mode) => [...createScopedSteps(role, surface), registrationStep(mode), step]),
      ),
      [
        ...createScopedSteps(role, "rest"),
        registrationStep("anonymous"),
        { ...deletedStep, session: "member", expect: { status: "2xx" } },
      ],
    ],
  };
}

/** The server accepts the key, and does not answer that the plan of its workspace excludes the document. */
function proveStaff(role: string): BindingProof {
  const step: Step = { rest: READS[0], as: role, expect: { status: { not: 401 } } };
  return { ways: [[step, { rest: "GET /api/openapi.json", as: role, expect: { status: { not: 402 } } }]] };
}

/** The server stops the key at its ceiling. If it stops only a new key with this ceiling, the ceiling of the role is another one. */
function proveLimitedKey(role: string, rpm: number): BindingProof {
  const stoppedStep = (as: string): Step => ({
    burst: { n: 2 * rpm + 2, rest: READS[0], as },
    expect: { first429: { gte: rpm + 1, lte: 2 * rpm + 2 } },
  });
  return {
    ways: [[stoppedStep(role)]],
    alternatives: ({ bindings }) => [
      {
        needs: [`key.${role}`],
        why: `the server stops a new key with requests_per_minute ${rpm}, and this key not`,
        bindings,
        steps: [createKeyStep("mine", { ...createKeyBody(VIEW_SCOPES), requests_per_minute: rpm }), stoppedStep("mine")],
      },
    ],
  };
}

/**
 * The key does exactly what its scopes allow, or the server ignores one scope or all of them: it lets a new key with the same scopes do more too.
 * One new key for each surface shows which scopes the server ignores.
 */
function getKeyWithScopes(role: string): BindingProof {
  const surfaces = ["rest", "mcp"] as const;
  return {
    ways: [
      ...surfaces.map((surface) => createScopedSteps(role, surface)),
      ...surfaces.map((surface) => [
        ...readScopesSteps(listRoleScopes(role)),
        openFinding,
        ...findScopesIn(surface).map((scope): Step | Step[] =>
          listRoleScopes(role).includes(scope)
            ? createScopedStep(role, surface, { scope, isAllowed: true })
            : [
                createScopedStep("mine", surface, { scope, isAllowed: true }),
                createScopedStep(role, surface, { scope, isAllowed: false }),
              ],
        ),
      ]),
    ],
  };
}

function findScopesIn(surface: "rest" | "mcp"): Scope[] {
  return Object.keys(actsByScope[surface]) as Scope[];
}

/** Returns the requests of a key, each accepted or refused by its scopes. */
function createScopedSteps(role: string, surface: "rest" | "mcp"): readonly Step[] {
  const held = listRoleScopes(role);
  return [
    openFinding,
    ...findScopesIn(surface).map((scope) => createScopedStep(role, surface, { scope, isAllowed: held.includes(scope) })),
  ];
}

/** Returns a request that needs one scope, and whether the server must allow or refuse it. */
function createScopedStep(
  role: string,
  surface: "rest" | "mcp",
  { scope, isAllowed }: { scope: Scope; isAllowed: boolean },
): Step {
  const status = isAllowed ? { not: { in: [401, 403, 404] } } : "4xx";
  const tool = isAllowed ? { content: { type: "string" } } : { refused: true as const };
  return { ...actsByScope[surface][scope], as: role, expect: surface === "rest" ? { status } : tool };
}
