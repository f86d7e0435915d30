import { describe, expect, test } from "vitest";
import { contract } from "../../../../src/contract/load.js";
import type { ToolPurpose } from "../../../../src/contract/tool-types.js";
import type { Scope } from "../../../../src/contract/types.js";
import { advance } from "../../../../src/service/advance.js";
import { authenticateToolCaller } from "../../../../src/service/tools/perform-tool.js";
import { demoWorld } from "../../world.js";
import { callTool, getError, keyWith, web } from "../call.js";

const purposes = Object.keys(contract.tools) as ToolPurpose[];
const everyScope = contract.enums.Scope;

/** Arguments that pass every tool's schema, by purpose. */
const fitting: Partial<Record<ToolPurpose, object>> = {
  list_observations: { repo: "web@main" },
  submit_job: { workflow: "audit" },
  forecast: { workflow: "audit" },
  rules_for_file: { file_path: "a.ts" },
  recent_issues: { file_path: "a.ts" },
  read_guide: { guide: "triage" },
  job_status: { job_id: "job_none" },
  retry_job: { job_id: "job_none" },
  request_fix: { job_id: "job_none" },
  dismiss_observation: { dismissal_category: "wont_fix", dismissal_note: "Not worth the trouble." },
  reopen_observation: { reopen_reason: "It is back." },
  set_guidance: { guidance: "Be brief." },
  set_workspace_context: { context: "A shop." },
  set_setting: { setting: "audit_timeout_s", value: 120 },
  clear_setting: { setting: "audit_timeout_s" },
  set_learn_mode: { learn_mode: true },
  record_doc_read: { doc_path: "discovery/overview.md" },
};

function argumentsFor(purpose: ToolPurpose): Record<string, unknown> {
  const all: Record<string, unknown> = { ...web, ref: "SERVICE-1", ...fitting[purpose] };
  const declared = contract.tools[purpose].arguments.properties;
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in declared));
}

describe("authentication", () => {
  test.each([
    ["no key", undefined, "missing_key"],
    ["no bearer form", "mock_full", "malformed_key"],
    ["an unknown key", "Bearer mock_nobody", "invalid_key"],
    ["an expired key", "Bearer mock_expired", "expired_key"],
    ["a revoked key", "Bearer mock_revoked", "revoked_key"],
    ["a key fenced elsewhere", "Bearer mock_fenced", "network_not_allowed"],
    ["a suspended workspace's key", "Bearer mock_suspended", "workspace_suspended"],
  ])("refuses %s with a generic message, and names the reason in the journal", (_, authorization, code) => {
    const entered = authenticateToolCaller(demoWorld(), authorization, "127.0.0.1");
    if (!("refused" in entered)) throw new Error("let in");
    const { status, headers, body, rule } = entered.refused;
    expect({ status, challenge: headers["www-authenticate"], rule: rule.code }).toEqual({
      status: 401,
      challenge: "Bearer",
      rule: code,
    });
    expect((body as { error: object }).error).toMatchObject({
      type: "authentication_error",
      code: "invalid_key",
      message: "Send a valid API key as a bearer token.",
    });
  });

  test("refuses a key with allowed_cidrs when the address is unknown", () => {
    expect(authenticateToolCaller(demoWorld(), "Bearer mock_fenced_here", null)).toHaveProperty("refused");
    expect(authenticateToolCaller(demoWorld(), "Bearer mock_fenced_here", "127.0.0.1")).toHaveProperty("workspace.id", "acme");
  });
});

describe("scopes", () => {
  test.each(purposes)("%s passes with exactly its scopes, and is refused without one of them", (purpose) => {
    const { scopes } = contract.tools[purpose];
    const exact = demoWorld();
    expect(callTool(exact, purpose, argumentsFor(purpose), keyWith(exact, scopes)).rule).toMatchObject({ gate: "operation" });
    for (const missingScope of scopes) {
      const world = demoWorld();
      const others = everyScope.filter(
        (scope) => scope !== missingScope && !(missingScope === "register_repo" && scope === "manage_repos"),
      );
      const response = callTool(world, purpose, argumentsFor(purpose), keyWith(world, others));
      expect(response).toMatchObject({ status: 403, rule: { gate: "permission", code: "insufficient_scope" }, changes: [] });
      expect(getError(response).message).toContain(missingScope);
    }
  });

  test("manage_repos alone lets a key register a repository", () => {
    const world = demoWorld();
    const response = callTool(world, "register_repository", { ...web, repo: "new" }, keyWith(world, ["manage_repos"]));
    expect(response).toMatchObject({ status: 201, body: { discover_job_id: null } });
  });

  test.each([
    ["fix", { ref: "SERVICE-1" }, "submit_fix_jobs", "full"],
    ["task", { directive: "Tidy up." }, "submit_task_jobs", "beta"],
  ])("submitting %s needs both scopes on the key", (workflow, params, second, role) => {
    const world = demoWorld();
    const key = world.keys[`key_${role}`]!;
    const repo = Object.values(world.repos).find((row) => row.workspace === key.workspace)!;
    const given = { owner: repo.owner, repo: repo.repo, branch: repo.branch, workflow, params };
    const submit = (scopes: string[]) => {
      key.scopes = scopes as Scope[];
      return callTool(world, "submit_job", given, role).status;
    };
    expect(["submit_audit_jobs", second].map((scope) => submit([scope]))).toEqual([403, 403]);
    expect(submit(["submit_audit_jobs", second])).toBe(201);
  });

  test("retrying a fix needs the scope for fixes too", () => {
    const world = demoWorld();
    const { job_id } = callTool(world, "submit_fix", { ref: "SERVICE-2" }).body as { job_id: string };
    world.jobs[job_id]!.status = "failed";
    expect(callTool(world, "retry_job", { job_id }, keyWith(world, ["submit_audit_jobs"])).status).toBe(403);
    expect(callTool(world, "retry_job", { job_id }, keyWith(world, ["submit_audit_jobs", "submit_fix_jobs"]))).toMatchObject({
      status: 201,
      body: { workflow: "fix" },
    });
  });
});

describe("rates", () => {
  test("the 61st call of a minute is refused with the seconds to wait, and passes after them", () => {
    const world = demoWorld();
    for (let i = 0; i < 60; i++) expect(callTool(world, "list_guides").status).toBe(200);
    const response = callTool(world, "list_guides");
    expect(response).toMatchObject({ status: 429, rule: { gate: "rate", code: "rate_limit_qps" } });
    expect(getError(response)).toMatchObject({ type: "rate_limit_error", retry_after: 60 });
    expect(JSON.stringify(getError(response))).not.toMatch(/retry-after/i); // a tool error has no headers
    advance(world, { to: world.now + 60_000 });
    expect(callTool(world, "list_guides").status).toBe(200);
  });

  test("a key's own ceiling counts the calls of both surfaces", () => {
    const world = demoWorld();
    for (let i = 0; i < 5; i++) expect(callTool(world, "list_guides", {}, "slow").status).toBe(200);
    expect(callTool(world, "list_guides", {}, "slow").status).toBe(429);
  });

  test("a tool draws on the bucket of its route", () => {
    const world = demoWorld();
    const register = () => callTool(world, "register_repository", web).status;
    expect(Array.from({ length: 11 }, register)).toEqual([...Array(10).fill(409), 429]);
    expect(callTool(world, "list_guides").status).toBe(200);
  });

  test("a key whose dollars_per_hour is used up is refused every call, reads included", () => {
    const world = demoWorld();
    expect(callTool(world, "list_guides", {}, "poor").status).toBe(200);
    expect(callTool(world, "submit_job", { ...web, workflow: "discover", force: true }, "poor").status).toBe(201);
    const toolResponses = purposes.map((purpose) => callTool(world, purpose, argumentsFor(purpose), "poor"));
    expect(new Set(toolResponses.map((response) => getError(response).code))).toEqual(new Set(["rate_limit_budget"]));
    expect(JSON.stringify(toolResponses.map(getError))).not.toMatch(/retry-after/i);
    advance(world, { to: world.now + 3_600_000 });
    expect(callTool(world, "list_guides", {}, "poor").status).toBe(200);
  });

  test("reads add no spend", () => {
    const world = demoWorld();
    const before = structuredClone(world.spend);
    for (const purpose of purposes.filter((name) => contract.tools[name].kind === "read"))
      callTool(world, purpose, argumentsFor(purpose));
    expect(world.spend).toEqual(before);
  });
});

describe("the order of refusals", () => {
  const spent = (world: ReturnType<typeof demoWorld>) => {
    for (let i = 0; i < 60; i++) callTool(world, "list_guides", {}, "no_delete");
  };

  test("rate, undeclared arguments, scope, other argument errors, operation", () => {
    const world = demoWorld();
    const role = keyWith(world, []);
    const faulty = { ref: 7 };
    expect(callTool(world, "acknowledge_observation", { ...faulty, refs: 1 }, role).rule.gate).toBe("schema");
    expect(callTool(world, "acknowledge_observation", faulty, role).rule.gate).toBe("permission");
    keyWith(world, ["triage_observations"]);
    expect(callTool(world, "acknowledge_observation", faulty, role).rule.gate).toBe("schema");
    expect(callTool(world, "acknowledge_observation", { ref: "SERVICE-0" }, role).rule.gate).toBe("operation");
    keyWith(world, []);
    spent(world);
    expect(callTool(world, "acknowledge_observation", { ...faulty, refs: 1 }, role).rule.gate).toBe("rate");
  });
});

describe("read tools", () => {
  test.each(purposes.filter((purpose) => contract.tools[purpose].kind === "read"))("%s changes nothing", (purpose) => {
    const world = demoWorld();
    const { rates: _, serials: __, ...before } = structuredClone(world);
    expect(callTool(world, purpose, argumentsFor(purpose)).changes).toEqual([]);
    const { rates: ___, serials: ____, ...after } = structuredClone(world);
    expect(after).toEqual(before);
  });
});
