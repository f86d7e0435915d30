import { describe, expect, test } from "vitest";
import type { Contract } from "../../src/contract/contract.js";
import { compileSchema, contract, readSpec } from "../../src/contract/load.js";
import { resolveRoute } from "../../src/contract/routes.js";
import type { RouteName } from "../../src/contract/types.js";
import { advance } from "../../src/service/advance.js";
import { drives } from "../../src/service/drives/index.js";
import { perform } from "../../src/service/perform.js";
import type { Options, World } from "../../src/service/world/world.js";
import { callTool } from "../service/tools/call.js";
import { type CallParts, call, demoWorld, readFixture } from "../service/world.js";

/** Checks a row of `spec/assumptions.json` that no other test checks: runs a function on a fresh world and compares its result. */
function check(row: keyof Contract["assumptions"], says: string, comes: unknown, run: (world: World) => unknown): void {
  test(`${row}: ${says}`, () => expect(run(demoWorld())).toEqual(comes));
}

const triple = "/api/repos/{owner}/{repo}/{branch}";
const submit = `POST ${triple}/jobs` as const;
const jobs = `GET ${triple}/jobs` as const;
const [register, list, makeKey] = ["POST /api/repos", "GET /api/observations", "POST /api/keys"] as const;
const fix = "POST /api/observations/{ref}/fix";

const web = { owner: "acme", repo: "web", branch: "main" };
const api = { ...web, repo: "api" };
const audit = { params: web, body: { workflow: "audit", params: {} } };
const first = ref(1);

describe("submissions", () => {
  check("IDEMPOTENCY-MISMATCH", "for every repository, body and key of the workspace", true, (world) => {
    const id = start(world, "k");
    const elsewhere = { params: api, body: { workflow: "review", params: {} }, as: "no_fix", idempotencyKey: "k" };
    return getBody(world, submit, elsewhere).id === id;
  });
  check("IDEMPOTENCY-MISMATCH", "but not for a body that would be refused", "invalid_payload", (world) => {
    start(world, "k");
    return ask(world, submit, { params: web, body: { workflow: "mini_audit", params: {} }, idempotencyKey: "k" });
  });
  check("IDEMPOTENCY-BINDING", "the 200 of soft dedupe ties the key to the job", true, (world) => {
    const id = start(world);
    start(world, "k");
    drive(world, "finish-job", { job_id: id, outcome: "failure" });
    return start(world, "k") === id;
  });
  check("RETRY-COPY", "soft dedupe matches a retry, which runs on the head commit at its start", true, (world) => {
    const id = start(world);
    drive(world, "finish-job", { job_id: id, outcome: "failure" });
    drive(world, "push-commit", { repo: "acme/web/main" });
    const retry = getBody(world, "POST /api/jobs/{job_id}/retry", { params: { job_id: id } });
    return start(world) === retry.id;
  });
  check("FIX-BY-SUBMISSION", "no pull request exists before the job is bound", [null, "string"], (world) => {
    const [alone, bound] = ["SERVICE-1", "SERVICE-2"].map((ref) => {
      const { id } = getBody(world, submit, { params: web, body: { workflow: "fix", params: { ref } } });
      if (ref === "SERVICE-2") callTool(world, "request_fix", { ref, job_id: id });
      drive(world, "finish-job", { job_id: id, outcome: "success" });
      return getBody(world, "GET /api/jobs/{job_id}", { params: { job_id: id } }).fix_pr_url;
    });
    return [alone, typeof bound];
  });
  check("FIX-BY-SUBMISSION", "the service does not resolve its ref", 201, (world) =>
    ask(world, submit, { params: web, body: { workflow: "fix", params: { ref: "SERVICE-9999" } } }),
  );
  check("DISPATCH-TICK", "jobs of a suspended workspace start too", "running", (world) => {
    const id = start(world);
    drive(world, "suspend", {});
    advance(world, { to: world.epoch + 30_000 });
    return world.jobs[id]?.status;
  });
  check("RUN-OUTCOME", "an audit without a drive finds something, one with a drive nothing", ["completed", true, 0], (world) => {
    const found = () => Object.keys(world.observations).length;
    const [before, id] = [found(), start(world)];
    advance(world, { until: "idle" });
    const [after, driven] = [found(), getBody(world, submit, { ...audit, params: api }).id];
    drive(world, "finish-job", { job_id: driven, outcome: "success" });
    return [world.jobs[id]?.status, after > before, found() - after];
  });
  check(
    "SPEND-MEASURE",
    "a run draws the usual cost when it is accepted, and a cancelled one gives nothing back",
    [4, 4],
    (world) => {
      const before = world.workspaces.acme!.credit_usd;
      const id = start(world);
      const drawn = before - world.workspaces.acme!.credit_usd;
      ask(world, "POST /api/jobs/{job_id}/cancel", { params: { job_id: id } });
      return [drawn, before - world.workspaces.acme!.credit_usd];
    },
  );
});

describe("observations", () => {
  check("FIX-WORKFLOW-FILES", "for suggestions too; one location is enough", "observation_fix_targets_workflow_file", (world) => {
    const locations = ["src/a.ts", ".github/workflows/a.yml"].map((file_path) => ({ file_path, line_start: 1, line_end: 1 }));
    const found = { kind: "suggestion", locations: locations.map((location) => ({ ...location, symbol: null })) };
    const { ref: named } = drive(world, "find", { repo: "acme/web/main", observation: found });
    return ask(world, fix, { params: { ref: named as string } });
  });
  check("GATE-ORDER", "state before spend", "observation_not_fixable", (world) => endAndFix(world, 34, "broke"));
  check("TICKET-AGAIN", "a closed one", 200, (world) => ask(world, "POST /api/observations/{ref}/publish-ticket", ref(21)));
  check("REOPEN-KEEPS", "merged observations are open, and in the fix-prs lane", ["SERVICE-9", "SERVICE-9"], (world) => {
    ask(world, "POST /api/observations/{ref}/reopen", { ...ref(9), body: { reopen_reason: "Back again." } });
    const open = getBody(world, list, { query: { status: "new", limit: 1 } }).data;
    const lane = getBody(world, `GET ${triple}/fix-prs`, { params: web }).data;
    return [open[0].ref, lane[0].ref];
  });
  check("RECENCY", "starting a fix is a change", "SERVICE-1", (world) => {
    ask(world, fix, first);
    return getBody(world, list, { query: { limit: 1 } }).data[0].ref;
  });
  check("FINDING-FLAGS", "false filters nothing", true, (world) => {
    const [some, all] = [{ easy_wins: false, needs_review: false }, {}].map(
      (query) => getBody(world, list, { query: { repo: "tools@main", ...query } }).data.length,
    );
    return some === all && all < 200;
  });
  check("SLUG-PARSE", "two repositories of one slug both match", 2, (world) => {
    const named = { "a/b@c": { repo: "a", branch: "b@c" }, "a@b/c": { repo: "a@b", branch: "c" } };
    for (const [path, place] of Object.entries(named)) {
      ask(world, register, { body: { owner: "acme", ...place } });
      drive(world, "find", { repo: `acme/${path}` });
    }
    return getBody(world, list, { query: { repo: "a@b@c" } }).data.length;
  });
  check("UNKNOWN-SLUG", "422 without an @", "invalid_payload", (world) => ask(world, list, { query: { repo: "web" } }));
  check("CURSOR-BINDING", "limit, include, key and surface are free", [200, 200], (world) => {
    const cursor = getBody(world, list, { query: { kind: "finding", limit: 2 } }).next_cursor;
    const byKey = ask(world, list, { as: "viewer", query: { kind: "finding", limit: 9, include: "locations", cursor } });
    return [byKey, callTool(world, "list_observations", { kind: "finding", cursor }).status];
  });
});

describe("repositories", () => {
  check("SOFT-DELETE", "its jobs can be cancelled by id", 200, (world) => {
    const id = start(world);
    ask(world, `DELETE ${triple}`, { params: web });
    return ask(world, "POST /api/jobs/{job_id}/cancel", { params: { job_id: id } });
  });
  check("SCOPES-WITHOUT-TOOL", "manage_repos to delete, beside delete_repo", "insufficient_scope", (world) => {
    world.keys.key_full!.scopes = ["view_repositories", "register_repo"];
    return ask(world, `DELETE ${triple}`, { params: web });
  });
  check("FORECAST-LOOKUP", "an estimate for a workflow outside the plan", 200, (world) =>
    ask(world, "GET /api/forecasts/lookup", { as: "free", query: { workflow: "publish" } }),
  );
  const free = ["audit", "discover", "fix", "review", "standard_audit"];
  const paid = [...free, "publish", "revalidate"].sort();
  check("PLAN-WORKFLOWS", "as listed, without mini_audit in strict", { free, paid }, () => getPlans("strict"));
  check("PLAN-WORKFLOWS", "mini_audit in both lists of the demo", [true, true], () =>
    Object.values(getPlans("demo")).map((list) => list.includes("mini_audit")),
  );
  check(
    "JOB-LIST-FILTERS",
    "REST ignores status, so it returns all",
    true,
    (world) => getBody(world, jobs, { params: web, query: { status: "running" } }).data.length > 0,
  );
  check("RATE-WINDOW", "a request that is refused for another reason counts", ["invalid_payload", "rate_limit_qps"], (world) =>
    [...Array(11)].map(() => ask(world, register, { body: {} })).slice(-2),
  );
});

describe("fields", () => {
  check(
    "REPO-DETAIL",
    "its fields",
    ["repo_name", "access_mode", "head_commit", "ticket_integration", "metadata", "created_at", "updated_at"],
    (world) => Object.keys(getBody(world, `GET ${triple}`, { params: web })).slice(3),
  );
  check(
    "EXTRA-FIELDS",
    "of jobs",
    ["created_at", "updated_at", "started_at", "finished_at", "error", "failure_classification", "fix_pr_url"],
    (world) => Object.keys(getBody(world, submit, audit)).slice(4),
  );
  check("KEY-RESPONSE", "the added fields and the value", ["name", "scopes", "created_at", "key"], (world) =>
    Object.keys(getBody(world, makeKey, { session: "admin" })).filter((name) => !inLedger.includes(name)),
  );
  check("BODY-EXTRA", "an unlisted field", 201, (world) => ask(world, submit, { ...audit, body: { ...audit.body, more: 1 } }));
  check("BODY-EXTRA", "a body where the operation takes none", 201, (world) => ask(world, fix, { ...first, body: [1] }));
  check(
    "ERRORS-CUT",
    "50 for a request body",
    50,
    (world) => getBody(world, makeKey, { session: "admin", body: { scopes: Array(60).fill("x") } }).error.errors.length,
  );
});

describe("access", () => {
  check("SCOPES-LITERAL", "an implied scope cannot be kept alone", "bad_request", (world) => {
    const { key_id } = getBody(world, makeKey, { session: "admin", body: { scopes: ["manage_repos"] } });
    return patch(world, key_id, { scopes: ["register_repo"] });
  });
  check("KEY-PATCH", "an empty change", 200, (world) => patch(world, "key_full", {}));
  check("SESSION-RIGHTS", "members submit", 201, (world) => ask(world, submit, { ...audit, session: "member" }));
  check(
    "SESSION-RIGHTS",
    "no request budget",
    new Set([200]),
    (world) => new Set([...Array(200)].map(() => ask(world, "GET /api/repos", { session: "member" }))),
  );
  check(
    "WEB-SIGN-IN",
    "only reads for 30 days of suspension, then nothing",
    ["workspace_suspended", 200, "workspace_suspended"],
    (world) => {
      drive(world, "suspend", {});
      const write = ask(world, makeKey, { session: "owner" });
      const reads = [30 * 86_400_000 - 1, 1].map((passed) => {
        world.now += passed;
        return ask(world, "GET /api/jobs", { session: "owner" });
      });
      return [write, ...reads];
    },
  );
  check(
    "UNSHOWN-ROUTES",
    "404, or 405 where another method has the path",
    [{ found: "nothing" }, { found: "path", allow: ["POST"] }, { found: "path", allow: ["PATCH"] }],
    () => ["/api/webhooks", "/api/keys", "/api/keys/key_full"].map((path) => resolveRoute("DELETE", path)),
  );
});

describe("an option of spec/assumptions.json", () => {
  const { limits, work, ...usual }: Required<Options> = {
    limits: "text",
    work: "time",
    rate_window: "fixed",
    mcp_rate: "requests",
    dedupe_window_minutes: 10,
    dedupe_terminal: "completed",
    idempotency_mismatch: "replay",
    run_findings: "timed",
    dispatch_seconds: 30,
  };
  const rows = Object.values(contract.assumptions).flatMap(({ option }) => option ?? []);
  const switches = rows.filter((option) => !("fixture" in option));
  const { $defs } = readSpec("schema/fixture.json") as { $defs: { options: object } };
  const takes = compileSchema($defs.options);

  test("is an option of the service, with its default; all but `limits` and `work` are there", () => {
    expect(Object.fromEntries(switches.map((option) => [option.name, option.default]))).toEqual(usual);
    expect(demoWorld().options).toEqual({ limits, work, ...usual });
  });

  test.each(switches)("$name accepts its values in a fixture, and no other", ({ name, values, minimum }) => {
    expect((values ?? [minimum, 1, 60]).filter((value) => !takes({ [name]: value }))).toEqual([]);
    expect(takes({ [name]: values ? "nonsense" : -1 })).toBe(false);
  });

  test("that is a field of the fixture exists in each plan", () => {
    expect(rows.filter((option) => "fixture" in option).map(({ name }) => name)).toEqual(["plans.<plan>.workflows"]);
    for (const workflows of Object.values(getPlans("demo"))) expect(workflows).not.toEqual([]);
  });
});

/** The key fields of the contract. */
const inLedger = ["key_id", "requests_per_minute", "dollars_per_hour", "expires_at", "allowed_cidrs"];

/** Submits an audit; the id of the job that answers. */
function start(world: World, idempotencyKey?: string): string {
  return getBody(world, submit, { ...audit, ...(idempotencyKey !== undefined && { idempotencyKey }) }).id;
}

function ref(number: number) {
  return { params: { ref: `SERVICE-${number}` } };
}

/** The code of a refusal, or the status of a success. */
function ask(world: World, route: RouteName, parts: CallParts): string | number {
  const { status, rule } = perform(world, call(route, parts));
  return rule.code ?? status;
}

// biome-ignore lint/suspicious/noExplicitAny: checks look into answers of every shape
function getBody(world: World, route: RouteName, parts: CallParts): any {
  return perform(world, call(route, parts)).body;
}

function drive(world: World, name: string, args: Record<string, unknown>): Record<string, unknown> {
  const outcome = drives[name]!.run(world, args);
  if ("problem" in outcome) throw new Error(outcome.problem);
  return outcome.result as Record<string, unknown>;
}

function endAndFix(world: World, number: number, as: string): string | number {
  ask(world, "POST /api/observations/{ref}/complete", { ...ref(number), as });
  return ask(world, fix, { ...ref(number), as });
}

function patch(world: World, key_id: string, body: object): string | number {
  return ask(world, "PATCH /api/keys/{key_id}", { session: "admin", params: { key_id }, body });
}

function getPlans(name: "demo" | "strict"): { free: string[]; paid: string[] } {
  const { free, paid } = readFixture(name).plans;
  return { free: free.workflows.toSorted(), paid: paid.workflows.toSorted() };
}
