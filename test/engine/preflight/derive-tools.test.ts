import { describe, expect, test } from "vitest";
import { deriveTools } from "../../../src/engine/preflight/derive-tools.js";
import type { ListedTool } from "../../../src/engine/preflight/tools.js";
import { findUnmetNeed } from "../../../src/engine/target/needs.js";
import { omitDerivedTools, parseTarget, type Target } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";

const { names } = suite.target;

/** Returns a target whose file has these bindings. */
function parse(bindings: object = {}): Target {
  const text = JSON.stringify({ base_url: "http://127.0.0.1:9", bindings });
  const result = parseTarget(suite.target, "own.yaml", text, {});
  if (!result.ok) throw new Error(result.mistakes.join("\n"));
  return result.target;
}

const list = (name: string, required: readonly string[], optional: readonly string[] = [], isReadOnly?: boolean): ListedTool => ({
  ...{ name, description: "", arguments: [...required, ...optional], required },
  ...(isReadOnly !== undefined && { isReadOnly }),
});

/** Returns what a list of tools adds to a target file. */
const derive = (bindings: object, ...tools: ListedTool[]) => deriveTools(names, parse(bindings), tools).derived;

describe("tools that a target file leaves out", () => {
  test("have the names of their purposes, with the arguments that the server lists", () => {
    const tool = list("retry_job", ["job_id"], ["trace"]);
    expect(derive({}, tool)).toEqual({ tools: { retry_job: "retry_job" }, tool_args: { retry_job: { job_id: "job_id" } } });
  });

  test.each([
    ["requires an argument that scenarios do not know", list("retry_job", ["job_id", "tenant"])],
    ["has another name", list("retry", ["job_id"])],
  ])("are not called if the tool %s", (_, tool) => {
    expect(derive({}, tool)).toEqual({ tools: {}, tool_args: {} });
  });

  test("are called also if the tool says that it writes nothing, as the server may be wrong", () => {
    expect(derive({}, list("retry_job", ["job_id"], [], true))?.tools).toEqual({ retry_job: "retry_job" });
  });
});

describe("arguments that a target file leaves out", () => {
  test.each<[string, string, string[], Record<string, string> | undefined]>([
    ["one known name", "job_status", ["id"], { job_id: "id" }],
    ["two known names", "job_status", ["id", "run_id"], undefined],
    [
      "a name that two arguments may have",
      "dismiss_observation",
      ["ref", "category", "comment", "note"],
      { ref: "ref", dismissal_category: "category" },
    ],
    ["one name for a whole repository", "knowledge", ["repo_slug"], { slug: "repo_slug" }],
    ["the name of a part for a whole repository", "knowledge", ["repo"], { slug: "repo" }],
    ["the names of two parts of a repository", "knowledge", ["repo", "branch"], { repo: "repo", branch: "branch" }],
  ])("with %s", (_, purpose, listed, args) => {
    const { tool_args } = derive({ tools: { [purpose]: "x" } }, list("x", listed)) ?? {};
    expect(tool_args?.[purpose]).toEqual(args);
  });

  test("do not replace what the file states, and use no name twice", () => {
    const { bindings, derived } = deriveTools(
      names,
      parse({ tools: { submit_fix: "fix" }, tool_args: { submit_fix: { ref: "finding" } } }),
      [list("fix", ["finding", "ref"])],
    );
    expect(bindings.tool_args).toMatchObject({ submit_fix: { ref: "finding" } });
    expect(derived?.tool_args.submit_fix).toBeUndefined();
  });

  test("and tools are left out if the file has null for them", () => {
    const stated = { tools: { job_status: null }, tool_args: { list_observations: { search: null } } };
    const listed = [list("job_status", ["job_id"]), list("list_observations", [], ["search"])];
    const target = deriveTools(names, parse(stated), listed);
    expect(target.derived).toEqual({ tools: { list_observations: "list_observations" }, tool_args: {} });
    expect(findUnmetNeed(["binding.tool_args.list_observations.search"], target)).toBeDefined();
    expect(findUnmetNeed(["binding.tools.job_status"], target)).toBeDefined();
  });
});

test("a target without a list of tools has only the tools of its file", () => {
  const target = parse({ tools: { submit_fix: "fix" }, tool_args: { submit_fix: { ref: "finding" } } });
  expect(findUnmetNeed(["binding.tools.job_status", "binding.tool_args.job_status.job_id"], target)).toBeUndefined();
  const { bindings, derived } = omitDerivedTools(target);
  expect([bindings, derived]).toEqual([
    expect.objectContaining({
      tools: { submit_fix: "fix" },
      tool_args: expect.objectContaining({ submit_fix: { ref: "finding" } }),
    }),
    undefined,
  ]);
  expect(findUnmetNeed(["binding.tools.job_status"], { ...target, bindings })).toBe("binding.tools.job_status");
});
