import { describe, expect, test } from "vitest";
import { findTargetGaps, formatGaps } from "../../../src/engine/run/target-gaps.js";
import { compileScenario } from "../../../src/engine/scenario/compile.js";
import type { ScenarioText } from "../../../src/engine/scenario/format.js";
import { omitDerivedTools, parseTarget } from "../../../src/engine/target/target.js";
import { listTestableClauses } from "../../../src/engine/verdict/clauses.js";
import { suite } from "../../../src/suite/suite.js";

const [one, two, three, four] = listTestableClauses(suite.clauses) as [string, string, string, string];

/** Returns the gaps of a target for scenarios with these needs and clauses. `lines` are added to the target file. */
function getGaps(checks: [needs: string[], clauses: string[]][], ...lines: string[]) {
  const targetResult = parseTarget(suite.target, "target.yaml", ["base_url: http://service.test", ...lines].join("\n"), {});
  if (!targetResult.ok) throw new Error(targetResult.mistakes.join("\n"));
  const scenarios = checks.map(([needs, proves], index) => {
    const text: ScenarioText = {
      scenario: `s-${index}`,
      title: "S",
      proves,
      needs,
      steps: [{ rest: "GET /api/repos", as: "none" }],
    };
    return compileScenario(text, suite);
  });
  return findTargetGaps(
    suite,
    { scenarios, properties: [] },
    { target: omitDerivedTools(targetResult.target), profile: "full", maxWaitSeconds: 90 },
  );
}

describe("the gaps of a target", () => {
  test("count the clauses that no scenario can judge without an item", () => {
    const foundTargetGaps = getGaps([
      [[], [one]],
      [["worlds"], [one, two]],
      [["worlds"], [three]],
      [["worlds", "clock"], [four]],
    ]);
    expect([
      foundTargetGaps.judgeable,
      foundTargetGaps.total,
      foundTargetGaps.valueOf("worlds"),
      foundTargetGaps.valueOf("a clock hook"),
    ]).toEqual([1, 4, { alone: 2, with_others: 1 }, { alone: 0, with_others: 1 }]);
    expect(foundTargetGaps.best(3)).toEqual([
      { items: ["worlds"], clauses: 2 },
      { items: ["a clock hook"], clauses: 1 },
    ]);
  });

  test("name fields of the target file: a binding with all its parts, a tool with its arguments", () => {
    const foundTargetGaps = getGaps([
      [["binding.spare.owner", "binding.spare.repo"], [one]],
      [["binding.tools.retry_job", "binding.tool_args.retry_job.job_id"], [two]],
      [["session.admin", "surface.session"], [three]],
    ]);
    expect(foundTargetGaps.best(3).map(({ items }) => items)).toEqual([
      ["bindings.spare"],
      ["bindings.tools.retry_job"],
      ["sessions.admin", "session_url"],
    ]);
  });

  test("name both ways to address a repository, where the arguments of a tool are missing", () => {
    const needs = ["owner", "repo", "branch"].map((part) => `binding.tool_args.knowledge.${part}`);
    const foundTargetGaps = getGaps([[needs, [one]]], "bindings: { tools: { knowledge: read_knowledge } }");
    expect(foundTargetGaps.best(1).map(({ items }) => items)).toEqual([
      ["bindings.tool_args.knowledge with owner, repo, branch or with slug"],
    ]);
  });

  test("name the arguments to bind in place of a combined one, where a check needs its parts apart", () => {
    const found = getGaps(
      [[["no binding.tool_args.knowledge.slug"], [one]]],
      "bindings: { tools: { knowledge: read_knowledge }, tool_args: { knowledge: { slug: repo } } }",
    );
    expect(found.best(1).map(({ items }) => items)).toEqual([
      ["bindings.tool_args.knowledge with owner, repo, branch in place of slug"],
    ]);
  });

  test("are one line for each group, after a heading", () => {
    expect(formatGaps(getGaps([[[], [one]]]))).toEqual([]);
    expect(formatGaps(getGaps([[["key.viewer"], [one, two]]]))).toEqual([
      "0 of 2 clauses can be judged on this target.",
      "  2 more clauses can be judged once you add keys.viewer",
    ]);
  });
});
