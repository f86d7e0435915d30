import { expect, test } from "vitest";
import { perform } from "../../src/service/perform.js";
import { type CallParts, call, demoWorld } from "./world.js";

const web = { owner: "acme", repo: "web", branch: "main" };
const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";

const roles: [role: string, does: string, parts: CallParts & { route: Parameters<typeof call>[0] }, answer: number | string][] = [
  ["full", "lists repositories", { route: "GET /api/repos" }, 200],
  ["full", "deletes a repository", { route: "DELETE /api/repos/{owner}/{repo}/{branch}", params: web }, 204],
  ["no_delete", "deletes a repository", { route: "DELETE /api/repos/{owner}/{repo}/{branch}", params: web }, "permission_denied"],
  ["viewer", "lists jobs", { route: "GET /api/jobs" }, 200],
  ["viewer", "submits an audit", { route: submit, params: web, body: { workflow: "audit", params: {} } }, "insufficient_scope"],
  ["no_fix", "submits an audit", { route: submit, params: web, body: { workflow: "audit", params: {} } }, 201],
  ["no_fix", "spawns a fix", { route: "POST /api/observations/{ref}/fix", params: { ref: "SERVICE-1" } }, "insufficient_scope"],
  ["triage", "acknowledges", { route: "POST /api/observations/{ref}/acknowledge", params: { ref: "SERVICE-1" } }, 200],
  ["triage", "lists jobs", { route: "GET /api/jobs" }, "insufficient_scope"],
  ["expired", "lists jobs", { route: "GET /api/jobs" }, "expired_key"],
  ["revoked", "lists jobs", { route: "GET /api/jobs" }, "revoked_key"],
  ["fenced", "lists jobs from inside", { route: "GET /api/jobs", ip: "203.0.113.9" }, 200],
  ["fenced", "lists jobs from outside", { route: "GET /api/jobs", ip: "127.0.0.1" }, "network_not_allowed"],
  ["fenced_here", "lists jobs from this machine", { route: "GET /api/jobs", ip: "127.0.0.1" }, 200],
  ["fenced_here", "lists jobs from this machine over IPv6", { route: "GET /api/jobs", ip: "::1" }, 200],
  ["free", "submits a workflow that only Paid has", freeSubmission("revalidate"), "workflow_not_entitled"],
  ["free", "submits an audit", freeSubmission("audit"), 201],
  ["broke", "submits an audit", siteSubmission("broke-co"), "insufficient_credit"],
  ["suspended", "lists jobs", { route: "GET /api/jobs" }, "workspace_suspended"],
  [
    "full",
    "submits a beta workflow",
    { route: submit, params: web, body: { workflow: "suggest", params: {} } },
    "feature_not_enabled",
  ],
  ["beta", "submits a beta workflow", betaSubmission("suggest", {}), 201],
  ["beta", "submits the other one", betaSubmission("task", { directive: "Tidy up." }), 201],
  ["full", "reads the gated document", { route: "GET /api/openapi.json" }, "plan_restricted"],
  ["staff", "reads the gated document", { route: "GET /api/openapi.json" }, 200],
];

test.each(roles)("role %s %s", (role, _, { route, ...parts }, answer) => {
  const reply = perform(demoWorld(), call(route, { as: role, ...parts }));
  expect(reply.rule.code ?? reply.status).toBe(answer);
});

test("role slow is refused its sixth request of a minute", () => {
  const world = demoWorld();
  const codes = Array.from({ length: 6 }, () => perform(world, call("GET /api/jobs", { as: "slow" })).rule.code);
  expect(codes).toEqual([null, null, null, null, null, "rate_limit_qps"]);
});

test("role poor is refused its second run of an hour", () => {
  const world = demoWorld();
  const codes = ["audit", "standard_audit"].map(
    (workflow) => perform(world, call(submit, { as: "poor", params: web, body: { workflow, params: {} } })).rule.code,
  );
  expect(codes).toEqual([null, "rate_limit_budget"]);
});

test.each(["owner", "admin", "member"])("session %s is signed in", (session) => {
  expect(perform(demoWorld(), call("GET /api/jobs", { session })).status).toBe(200);
});

function freeSubmission(workflow: string) {
  return { route: submit, params: { owner: "free-co", repo: "site", branch: "main" }, body: { workflow, params: {} } } as const;
}

function siteSubmission(owner: string) {
  return { route: submit, params: { owner, repo: "site", branch: "main" }, body: { workflow: "audit", params: {} } } as const;
}

function betaSubmission(workflow: string, params: object) {
  return { route: submit, params: { owner: "beta-co", repo: "lab", branch: "main" }, body: { workflow, params } } as const;
}
