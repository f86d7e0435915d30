import { describe, expect, test } from "vitest";
import { gapLines, targetGaps } from "../../../src/engine/run/target-gaps.js";
import { compileScenario } from "../../../src/engine/scenario/compile.js";
import type { ScenarioText } from "../../../src/engine/scenario/format.js";
import { parseTarget } from "../../../src/engine/target/target.js";
import { testableClauses } from "../../../src/engine/verdict/clauses.js";
import { suite } from "../../../src/suite/suite.js";

const [one, two, three, four] = testableClauses(suite.clauses) as [string, string, string, string];

/** What checks that need these things, and judge these clauses, would earn on a target of these lines. */
function earnings(checks: [needs: string[], clauses: string[]][], ...lines: string[]) {
  const described = parseTarget(suite.target, "target.yaml", ["base_url: http://service.test", ...lines].join("\n"), {});
  if (!described.ok) throw new Error(described.mistakes.join("\n"));
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
  return targetGaps(suite, { scenarios, properties: [] }, { target: described.target, profile: "full", maxWaitSeconds: 90 });
}

describe("what a target lacks", () => {
  test("earns the clauses that no check could judge without it", () => {
    const found = earnings([
      [[], [one]],
      [["worlds"], [one, two]],
      [["worlds"], [three]],
      [["worlds", "clock"], [four]],
    ]);
    expect([found.judged, found.all, found.of("worlds"), found.of("a clock hook")]).toEqual([
      1,
      4,
      { alone: 2, before: 3 },
      { alone: 0, before: 1 },
    ]);
    expect(found.best(3)).toEqual([
      { things: ["worlds"], clauses: 2 },
      { things: ["a clock hook"], clauses: 1 },
    ]);
  });

  test("is named as whoever can give it would: a binding as a whole, a tool with its arguments", () => {
    const found = earnings([
      [["binding.spare.owner", "binding.spare.repo"], [one]],
      [["binding.tools.retry_job", "binding.tool_args.retry_job.job_id"], [two]],
      [["session.admin", "surface.session"], [three]],
    ]);
    expect(found.best(3).map(({ things }) => things)).toEqual([
      ["bindings.spare"],
      ["bindings.tools.retry_job"],
      ["sessions.admin", "session_url"],
    ]);
  });

  test("is said in as many lines as there is something to earn", () => {
    expect(gapLines(earnings([[[], [one]]]))).toEqual([]);
    expect(gapLines(earnings([[["key.viewer"], [one, two]]]))).toEqual([
      "0 of 2 clauses can be judged on this target; what would earn most:",
      "  add keys.viewer: 2 clauses more",
    ]);
  });
});
