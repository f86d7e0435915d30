import { describe, expect, test } from "vitest";
import { proposeTools } from "../../../src/engine/run/target/propose-tools.js";
import { needsOf } from "../../../src/engine/scenario/needs.js";
import { readScenarios } from "../../../src/engine/scenario/select.js";
import type { TargetNames } from "../../../src/engine/target/rules.js";
import { suite } from "../../../src/suite/suite.js";

const names = suite.target.names as TargetNames;

test("every name that a scenario or a property needs is documented for target files", async () => {
  const { scenarios } = readScenarios(suite.scenarios, suite);
  const needs = [...scenarios.flatMap((one) => needsOf(one, 0)), ...(await suite.properties()).flatMap((one) => one.needs)];
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
    const found = proposeTools(names, listed(called, argument));
    expect(found.map(({ purpose, tool }) => [purpose, tool])).toEqual(purposes.map((purpose) => [purpose, called(purpose)]));
    expect(found.find(({ purpose }) => purpose === "submit_job")?.arguments).toMatchObject({
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
