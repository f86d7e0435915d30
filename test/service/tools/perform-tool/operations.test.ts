import { describe, expect, test } from "vitest";
import { contract } from "../../../../src/contract/load.js";
import { advance } from "../../../../src/service/advance.js";
import type { World } from "../../../../src/service/world/world.js";
import { demoWorld } from "../../world.js";
import { callTool, getBody, getError, names, web } from "../call.js";

const column = (rows: Record<string, unknown>[], name: string) => rows.map((row) => row[name]);
const getRepo = (world: World) => Object.values(world.repos).find(({ repo }) => repo === "web")!;

describe("searching observations", () => {
  test("finds a text in title and description, ignoring case", () => {
    const found = getBody(callTool(demoWorld(), "list_observations", { search: "HTTPONLY" })).data;
    expect(column(found, "title")).toEqual(["Session cookie is readable by scripts"]);
  });

  test("filters by kind and paginates", () => {
    const world = demoWorld();
    const all = getBody(callTool(world, "list_observations", { search: "e", kind: "suggestion", limit: 200 })).data;
    const first = getBody(callTool(world, "list_observations", { search: "e", kind: "suggestion", limit: 2 }));
    const second = getBody(
      callTool(world, "list_observations", { search: "e", kind: "suggestion", limit: 2, cursor: first.next_cursor }),
    );
    expect(new Set(column(all, "kind"))).toEqual(new Set(["suggestion"]));
    expect([...first.data, ...second.data]).toEqual(all.slice(0, 4));
    expect(
      getError(callTool(world, "list_observations", { search: "a", kind: "suggestion", cursor: first.next_cursor })).code,
    ).toBe("invalid_cursor");
  });

  test("includes a change at once", () => {
    const world = demoWorld();
    const search = () => getBody(callTool(world, "list_observations", { search: "HttpOnly", status: "new" })).data.length;
    expect(search()).toBe(1);
    callTool(world, "complete_observation", { ref: "SERVICE-1" });
    expect(search()).toBe(0);
  });
});

describe("the knowledge of a repository", () => {
  test("the overview has stack profile, domain summary and principles", () => {
    const overview = getBody(callTool(demoWorld(), "repository_overview", web));
    expect(overview).toMatchObject({
      ...web,
      repo_name: "web@main",
      stack_profile: { language: "TypeScript" },
      principles: ["Pages work without script.", "Money is handled in whole cents."],
    });
    expect(Object.keys(overview.domain_summary)).toEqual(contract.openapi.components!.schemas!.Domain!.enum);
  });

  test("the domain summary counts open observations", () => {
    const world = demoWorld();
    const { domain } = world.observations["SERVICE-1"]!;
    const open = () => getBody(callTool(world, "repository_overview", web)).domain_summary[domain]!.open;
    const before = open();
    expect(before).toBe(
      Object.values(world.observations).filter(
        (row) => row.repo === getRepo(world).id && row.status === "new" && row.domain === domain,
      ).length,
    );
    callTool(world, "complete_observation", { ref: "SERVICE-1" });
    expect(open()).toBe(before - 1);
  });

  test("a rule that begins with a folder applies to the files in it", () => {
    const world = demoWorld();
    getRepo(world).knowledge.conventions.push("src/checkout/: Amounts are integers.");
    const rules = (file_path: string) => getBody(callTool(world, "rules_for_file", { ...web, file_path })).rules;
    expect(rules("src/checkout/cart.ts")).toContainEqual({
      rule: "Amounts are integers.",
      source: "convention",
      applies_to: "src/checkout/",
    });
    expect(column(rules("src/pages/home.ts"), "applies_to")).toEqual([null, null, null, null, null]);
  });

  test("an area filters the canonical pattern", () => {
    const patterns = (given: object) =>
      column(getBody(callTool(demoWorld(), "canonical_pattern", { ...web, ...given })).patterns, "rule");
    expect(patterns({})).toEqual(["Routes live beside their templates.", "Every handler has a timeout."]);
    expect(patterns({ area: "TIMEOUT" })).toEqual(["Every handler has a timeout."]);
    expect(patterns({ area: "nothing of the sort" })).toEqual([]);
  });

  test("recent issues are those on the file, last updated first", () => {
    const world = demoWorld();
    const file_path = world.observations["SERVICE-1"]!.locations[0]!.file_path;
    world.observations["SERVICE-3"]!.locations = [{ file_path, symbol: null, line_start: 1, line_end: 1 }];
    callTool(world, "acknowledge_observation", { ref: "SERVICE-3" });
    const { issues } = getBody(callTool(world, "recent_issues", { ...web, file_path }));
    expect(column(issues, "ref").slice(0, 2)).toEqual(["SERVICE-3", "SERVICE-1"]);
    expect(getBody(callTool(world, "recent_issues", { ...web, file_path, limit: 1 }))).toMatchObject({
      issues: [{ ref: "SERVICE-3" }],
      has_more: true,
    });
  });

  test("pending migrations are the open directives", () => {
    expect(callTool(demoWorld(), "pending_migrations", web).body).toEqual({
      migrations: [{ title: "Leave the legacy checkout alone until it is replaced.", status: "pending" }],
    });
  });

  test("only the given metadata fields change", () => {
    const world = demoWorld();
    callTool(world, "update_repository_metadata", { ...web, description: "The shop." });
    const response = callTool(world, "update_repository_metadata", { ...web, pr_review_enabled: true });
    expect(response).toMatchObject({ status: 200, body: { metadata: { description: "The shop.", pr_review_enabled: true } } });
    expect(getBody(callTool(world, "repository_overview", web)).metadata).toEqual({
      description: "The shop.",
      pr_review_enabled: true,
    });
    expect(demoWorld().repos[getRepo(world).id]!.metadata).toEqual({});
  });

  test("a doc read is recorded and changes no answer", () => {
    const world = demoWorld();
    const before = callTool(world, "repository_overview", web).body;
    expect(callTool(world, "record_doc_read", { ...web, doc_path: "discovery/build.md" }, "triage").status).toBe(200);
    expect(getRepo(world).doc_reads).toEqual([{ path: "discovery/build.md", at: world.now }]);
    expect(callTool(world, "repository_overview", web).body).toEqual(before);
  });

  test.each([
    "repository_overview",
    "rules_for_file",
    "canonical_pattern",
    "recent_issues",
    "pending_migrations",
    "update_repository_metadata",
    "record_doc_read",
  ] as const)("%s knows no repository of another workspace", (purpose) => {
    const given = { owner: "free-co", repo: "site", branch: "main", file_path: "a", doc_path: "a" };
    const declared = contract.tools[purpose].arguments.properties;
    const fitting = Object.fromEntries(Object.entries(given).filter(([name]) => name in declared));
    expect(callTool(demoWorld(), purpose, fitting)).toMatchObject({ status: 404, rule: { code: "not_found" } });
  });
});

describe("how-to guides", () => {
  test("are listed, and each can be read", () => {
    const world = demoWorld();
    const guides = column(getBody(callTool(world, "list_guides")).guides, "guide");
    expect(guides.length).toBeGreaterThan(2);
    for (const guide of guides) {
      const { body } = getBody(callTool(world, "read_guide", { guide }));
      expect(body).toMatch(/[a-z]+_[a-z]+/);
      expect(body).not.toMatch(/[{}]/);
    }
  });

  test.each(["nothing", "__proto__", "toString"])("%s is not a guide", (guide) => {
    expect(callTool(demoWorld(), "read_guide", { guide }).status).toBe(404);
  });

  test("use this server's tool names", () => {
    expect(getBody(callTool(demoWorld(), "read_guide", { guide: "first-audit" })).body).toContain(names.submit_job);
  });
});

describe("the guidance of a workspace", () => {
  const words = [
    ["set_guidance", { guidance: "Be brief." }, "guidance", "Be brief.", "clear_guidance"],
    ["set_workspace_context", { context: "A shop." }, "context", "A shop.", "clear_workspace_context"],
    ["set_learn_mode", { learn_mode: true }, "learn_mode", true, null],
  ] as const;

  test.each(words)("%s is shown by the overview", (set, given, word, value, clear) => {
    const world = demoWorld();
    const shown = () => getBody(callTool(world, "repository_overview", web)).workspace[word];
    const before = shown();
    expect(callTool(world, set, given)).toMatchObject({
      status: 200,
      body: { [word]: value },
      changes: [{ kind: "workspace", id: "acme" }],
    });
    expect(shown()).toBe(value);
    if (clear) expect(callTool(world, clear).body).toEqual({ [word]: before });
    else callTool(world, set, { learn_mode: false });
    expect(shown()).toBe(before);
  });

  test.each([
    ["audit_timeout_s", 3600, 120],
    ["max_open_fix_prs", 5, 9],
  ])("clearing the setting %s restores its default", (setting, usual, value) => {
    const world = demoWorld();
    expect(callTool(world, "set_setting", { setting, value }).body).toEqual({
      setting,
      value,
      default: usual,
      is_default: false,
    });
    expect(callTool(world, "clear_setting", { setting }).body).toEqual({
      setting,
      value: usual,
      default: usual,
      is_default: true,
    });
    expect(world.workspaces.acme!.settings).toEqual({});
  });

  test("belongs to one workspace", () => {
    const world = demoWorld();
    callTool(world, "set_guidance", { guidance: "Be brief." });
    expect(world.workspaces["free-co"]!.settings).toEqual({});
  });
});

describe("requesting a fix", () => {
  const fixJob = (world: World, ref: string) =>
    getBody(callTool(world, "submit_job", { ...web, workflow: "fix", params: { ref }, force: true })).id;
  const request = (world: World, ref: string, job_id: string) => callTool(world, "request_fix", { ref, job_id });

  test("confirms the attempt of a fix, starts nothing and changes nothing", () => {
    const world = demoWorld();
    const { attempt_id, job_id } = getBody(callTool(world, "submit_fix", { ref: "SERVICE-2" }));
    const jobs = Object.keys(world.jobs).length;
    expect(request(world, "SERVICE-2", job_id)).toMatchObject({
      status: 200,
      body: { attempt_id, job_id, outcome: "confirmed", observation: { ref: "SERVICE-2", status: "new" } },
      changes: [],
    });
    expect(Object.keys(world.jobs).length).toBe(jobs);
  });

  test("binds a fix job without an attempt, whose pull request then belongs to the observation", () => {
    const world = demoWorld();
    const job_id = fixJob(world, "SERVICE-2");
    const jobs = Object.keys(world.jobs).length;
    expect(request(world, "SERVICE-2", job_id)).toMatchObject({ status: 200, body: { job_id, outcome: "bound" } });
    expect(Object.keys(world.jobs).length).toBe(jobs);
    advance(world, { until: "idle" });
    expect(getBody(callTool(world, "job_status", { job_id })).fix_pr_url).toBe(world.observations["SERVICE-2"]!.fix_pr!.url);
  });

  test("re-binds an attempt to another observation and releases the first one", () => {
    const world = demoWorld();
    const { attempt_id, job_id } = getBody(callTool(world, "submit_fix", { ref: "SERVICE-2" }));
    expect(request(world, "SERVICE-3", job_id)).toMatchObject({ status: 200, body: { attempt_id, outcome: "bound" } });
    expect([world.observations["SERVICE-2"]!.attempt, world.observations["SERVICE-3"]!.attempt]).toEqual([null, attempt_id]);
    advance(world, { until: "idle" });
    expect(world.observations["SERVICE-2"]!.fix_pr).toBeNull();
    expect(world.observations["SERVICE-3"]!.fix_pr).toMatchObject({ status: "in_review" });
  });

  test.each<[string, (world: World, job: string) => { ref: string; job_id: string }, number, string]>([
    ["an unknown observation", (_, job_id) => ({ ref: "SERVICE-0", job_id }), 404, "not_found"],
    ["an unknown job", () => ({ ref: "SERVICE-2", job_id: "job_none" }), 404, "not_found"],
    [
      "a job that is not a fix",
      (world) => ({
        ref: "SERVICE-2",
        job_id: getBody(callTool(world, "submit_job", { ...web, workflow: "audit", force: true })).id,
      }),
      400,
      "bad_request",
    ],
    [
      "a job that has ended",
      (world, job_id) => {
        advance(world, { until: "idle" });
        return { ref: "SERVICE-2", job_id };
      },
      400,
      "bad_request",
    ],
    [
      "a closed observation",
      (world, job_id) => {
        callTool(world, "complete_observation", { ref: "SERVICE-2" });
        return { ref: "SERVICE-2", job_id };
      },
      422,
      "observation_not_fixable",
    ],
    [
      "an observation of another repository",
      (world, job_id) => ({
        ref: Object.values(world.observations).find(
          (row) => row.workspace === "acme" && row.status === "new" && row.repo !== getRepo(world).id,
        )!.ref,
        job_id,
      }),
      400,
      "bad_request",
    ],
  ])("refuses %s and binds nothing", (_, prepare, status, code) => {
    const world = demoWorld();
    const job = fixJob(world, "SERVICE-2");
    const { ref, job_id } = prepare(world, job);
    const before = structuredClone(world.attempts);
    expect(request(world, ref, job_id)).toMatchObject({ status, rule: { gate: "operation", code }, changes: [] });
    expect(world.attempts).toEqual(before);
  });
});
