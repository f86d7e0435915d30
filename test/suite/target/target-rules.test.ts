import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../../src/contract/load.js";
import { proposeTools } from "../../../src/engine/run/target/propose-tools.js";
import { listNeeds } from "../../../src/engine/scenario/needs.js";
import { readScenarios } from "../../../src/engine/scenario/select.js";
import type { TargetNames } from "../../../src/engine/target/rules.js";
import { suite } from "../../../src/suite/suite.js";

const names = suite.target.names as TargetNames;

/** For each field of a target file that states something about the server, the test with untrue values of it. */
const UNTRUE: Readonly<Record<string, string>> = {
  session_url: "test/engine/preflight/sessions.test.ts",
  sessions: "test/suite/target/host-proofs.test.ts",
  app_url: "test/suite/target/host-proofs.test.ts",
  docs_url: "test/suite/target/host-proofs.test.ts",
  mcp_url: "test/engine/preflight/tool-server.test.ts",
  keys: "test/suite/target/binding-proofs.test.ts",
  bindings: "test/suite/target/binding-proofs.test.ts",
  repos: "test/engine/preflight/readable-repos.test.ts",
  clock: "test/engine/preflight/preflight.test.ts",
  drive: "test/engine/execute/claims.test.ts",
  exclusive: "test/engine/execute/confirm/shared.test.ts",
  "timing.rate_minute_s": "test/engine/execute/burst.test.ts",
};

/** The other fields, each with the reason why it has no such test. */
const NO_TEST: Readonly<Record<string, string>> = {
  name: "reports show it",
  base_url: "the preflight stops at another server",
  mcp_revision: "the preflight reports a revision that the server does not speak",
  claim: "it selects clauses",
  control: "it stands for worlds, clock and drive",
  worlds: "the hook creates each world anew",
  allow: "it is a permission",
  "timing.request_timeout_s": "it is the patience of the runner",
  "timing.dispatch_tick_s": "--plan alone uses it",
  "timing.longest_run_s": "the runner does not use it",
};

test("every field of a target file has a test with untrue values, or a reason for none", () => {
  const { properties } = JSON.parse(readFileSync(join(packageRoot, "spec", "schema", "target.json"), "utf8"));
  const { timing, ...others } = properties as Record<string, { properties: object }>;
  const fields = [...Object.keys(others), ...Object.keys(timing?.properties ?? {}).map((field) => `timing.${field}`)];
  expect([...Object.keys(UNTRUE), ...Object.keys(NO_TEST)].toSorted()).toEqual(fields.toSorted());
});

test.each(Object.entries(UNTRUE))("the test with untrue values of %s is in %s", (_, file) => {
  expect(existsSync(join(packageRoot, file))).toBe(true);
});

test("every name that a scenario or a property needs is documented for target files", async () => {
  const { scenarios } = readScenarios(suite.scenarios, suite);
  const needs = [
    ...scenarios.flatMap((scenario) => listNeeds(scenario, 0)),
    ...(await suite.properties()).flatMap((property) => property.needs),
  ];
  const unknown = [...new Set(needs)].filter((need) => {
    const [kind = "", first = "", second = "", third = ""] = need.split(/[. ]/);
    if (kind === "key" || kind === "session") return !(first in (kind === "key" ? names.keys : names.sessions));
    if (kind === "drive") return !(first in names.drive);
    if (kind !== "binding") return false;
    if (first === "tools") return !(second in names.tools);
    if (first === "tool_args") return !(third in (names.tools[second]?.arguments ?? {}));
    const parts = names.bindings[first]?.parts;
    return !(first in names.bindings) || (second !== "" && !parts?.names.includes(second));
  });
  expect(unknown).toEqual([]);
});

describe("tools are proposed by name and arguments", () => {
  const purposes = Object.keys(names.tools);
  const listed = (called: (purpose: string) => string, argument: (name: string) => string) =>
    Object.entries(names.tools).map(([purpose, tool]) => ({
      name: called(purpose),
      description: "",
      arguments: Object.keys(tool.arguments).map(argument),
      required: [],
    }));

  test.each<[string, (purpose: string) => string, (name: string) => string]>([
    ["are the purposes", (purpose) => purpose, (name) => name],
    ["are in camel case", (purpose) => purpose.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()), (name) => name],
    ["have a name in front", (purpose) => `svc.${purpose.replaceAll("_", "-")}`, (name) => `in_${name}`],
  ])("that %s", (_, called, argument) => {
    const proposedTools = proposeTools(names, listed(called, argument));
    expect(proposedTools.map(({ purpose, tool }) => [purpose, tool])).toEqual(
      purposes.map((purpose) => [purpose, called(purpose)]),
    );
    expect(proposedTools.find(({ purpose }) => purpose === "submit_job")?.arguments).toMatchObject({
      owner: argument("owner"),
      workflow: argument("workflow"),
    });
  });

  test("also a tool that takes one slug instead of three arguments", () => {
    const [found] = proposeTools(names, [
      { name: "get_knowledge_bundle", description: "", arguments: ["repo_name"], required: ["repo_name"] },
    ]);
    expect(found).toMatchObject({ purpose: "knowledge", arguments: { slug: "repo_name" } });
  });

  test("except a tool that fits no purpose", () => {
    expect(proposeTools(names, [{ name: "delete_everything", description: "", arguments: [], required: [] }])).toEqual([]);
  });

  test("by the values that an argument takes, and never a tool that only reads for a purpose that writes", () => {
    const tool = (name: string, schemas: Record<string, unknown>, isReadOnly: boolean) => ({
      ...{ name, description: "", arguments: Object.keys(schemas), required: Object.keys(schemas), schemas, isReadOnly },
    });
    const category = { enum: ["false_positive", "wont_fix", "out_of_scope", "stale", "no_longer_found", "other"] };
    const foundProposedTools = proposeTools(names, [
      tool("wave_off", { finding: { type: "string" }, why: category, note: { type: "string" } }, false),
      tool("retry_job", { job_id: { type: "string" } }, true),
    ]);
    expect(foundProposedTools).toEqual([
      { purpose: "job_status", tool: "retry_job", arguments: { job_id: "job_id" }, how: "arguments" },
      {
        ...{ purpose: "dismiss_observation", tool: "wave_off", how: "arguments" },
        arguments: { ref: "finding", dismissal_category: "why", dismissal_note: "note" },
      },
    ]);
  });
});

describe("a repository in a list, in any form", () => {
  test.each([
    ["fields of its own", { owner: "acme", repo: "web", branch: "main" }],
    ["fields in fields", { repository: { owner: { login: "acme" }, name: "web", default: { branch: "main" } } }],
    ["a whole", { id: "1", full: "acme/web/main" }],
    ["an owner and a slug", { owner: "acme", repo_name: "web@main" }],
  ])("is found by its possible names: %s", (_, row) => {
    expect(suite.preflight.look?.candidates(row)).toContain("acme/web/main");
  });
});
