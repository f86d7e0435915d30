import { describe, expect, test } from "vitest";
import type { Verdict } from "../../src/runner/play/check.js";
import type { Played } from "../../src/runner/play/play.js";
import { examinable, judgeClauses, judgeRun } from "../../src/runner/verdict.js";

const row = (level: string, surface: string[], excluded?: string) => ({
  section: 4,
  says: "…",
  level,
  surface,
  ...(excluded && { excluded }),
});
const LEDGER = {
  A: row("stated", ["rest"]),
  B: row("derived", ["mcp"]),
  OPEN: row("open", ["rest"]),
  CLIENT: row("stated", ["client"]),
  HIDDEN: row("stated", ["rest"], "not visible"),
};

/** A play of scenario `name` that claims A; its checks are given as verdict and subjects. */
function play(name: string, verdict: Verdict, checks: [Verdict, number][] = [], outside = false): Played {
  const text = { scenario: name, title: "…", proves: ["A"], steps: [] };
  const scenario = { name, text, variables: {}, file: "f.yaml", line: 1, stepLines: [] };
  return {
    scenario,
    verdict,
    outside,
    requests: 0,
    checks: checks.map(([each, subjects], index) => ({
      id: `${name}/${index}`,
      scenario: name,
      step: String(index),
      clauses: ["A"],
      verdict: each,
      subjects,
      file: "f.yaml",
      line: 1,
    })),
  };
}

const WEIGHINGS: [what: string, played: Played[], verdict: Verdict, exitCode: number][] = [
  ["one pass", [play("x", "passed", [["passed", 3]])], "passed", 0],
  ["a pass over no subject", [play("x", "passed", [["passed", 0]])], "inconclusive", 3],
  ["a failure beside a pass", [play("x", "passed", [["passed", 1]]), play("y", "failed", [["failed", 1]])], "failed", 1],
  ["a failure beside a fault of ours", [play("x", "harness-error"), play("y", "failed", [["failed", 1]])], "failed", 1],
  ["a fault of ours beside a pass", [play("x", "harness-error"), play("y", "passed", [["passed", 1]])], "harness-error", 4],
  [
    "what could not be told beside a pass",
    [play("x", "inconclusive", [["inconclusive", 0]]), play("y", "passed", [["passed", 1]])],
    "inconclusive",
    3,
  ],
  ["a check left out after a failed step", [play("x", "inconclusive", [["not-observed", 0]])], "inconclusive", 3],
  ["an unmet need", [play("x", "not-applicable")], "not-observed", 3],
  ["an unmet need beside a pass", [play("x", "not-applicable"), play("y", "passed", [["passed", 1]])], "passed", 0],
  ["a scenario outside the profile", [play("x", "not-applicable", [], true)], "not-applicable", 3],
  ["nobody's word", [], "not-observed", 3],
];

describe("a clause", () => {
  test.each(WEIGHINGS)("with %s", (_, played, verdict, exitCode) => {
    const clauses = judgeClauses(LEDGER, ["A"], played);
    expect([clauses[0]?.verdict, judgeRun(clauses, played).exitCode]).toEqual([verdict, exitCode]);
  });

  test("is examined when it is asserted, bound to a server and visible", () => {
    expect([examinable(LEDGER), examinable(LEDGER, "mcp")]).toEqual([["A", "B"], ["B"]]);
  });
});
