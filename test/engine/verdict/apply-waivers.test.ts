import { expect, test } from "vitest";
import { createNotExecutedOutcome, type Verdict } from "../../../src/engine/execute/check.js";
import type { RunEvidence } from "../../../src/engine/report/report.js";
import { removeWaivers } from "../../../src/engine/verdict/apply-waivers.js";
import { judgeEvidence } from "../../../src/engine/verdict/judge.js";
import { check, EVIDENCE, line, RULES, waiver } from "../report/sample.js";

const other = (clause: string, step: string, by: { step: string; verdict: Verdict }) =>
  check("two", clause, "not-observed", { id: `two/${step}`, step, ...createNotExecutedOutcome(by) });
const set = { at: "status", status: 500, expected: "201", actual: "500" };

/** BETA fails in `two`, where GAMMA comes after it; `three` meets the same where it only prepares. */
const waivedEvidence: Partial<RunEvidence> = {
  selection: { only: ["*"] },
  scenarios: [
    line("one", "ALPHA", "passed"),
    { ...line("two", "BETA", "failed"), proves: ["BETA", "GAMMA"] },
    line("three", "GAMMA", "inconclusive"),
  ],
  checks: [
    check("one", "ALPHA", "passed"),
    check("two", "BETA", "failed", { expected: "status: 201", actual: "status: 500", operation: "POST /a", mismatches: [set] }),
    other("GAMMA", "after", { step: "step", verdict: "failed" }),
    other("GAMMA", "last", { step: "after", verdict: "not-observed" }),
    check("three", "GAMMA", "inconclusive", {
      subjects: 0,
      reason: "status should be 201, is 500",
      operation: "POST /a",
      mismatches: [set],
    }),
    // the likeness needs two that fail alike
    check("four", "BETA", "failed", { expected: "status: 201", actual: "status: 500", operation: "POST /a", mismatches: [set] }),
  ],
};
const judge = (change: Partial<RunEvidence>) => judgeEvidence(RULES, { ...EVIDENCE, ...waivedEvidence, ...change });

test("a check that only a waived failure blocks is waived too, and the run passes", () => {
  const { report, exitCode } = judge({ waivers: [waiver("BETA")] });
  expect([exitCode, report.clauses.map(({ verdict }) => verdict)]).toEqual([0, ["passed", "waived", "waived"]]);
  expect(report.scenarios.map(({ verdict }) => verdict)).toEqual(["passed", "waived", "waived"]);
  expect(report.checks.find(({ id }) => id === "two/after")?.reason).toBe(
    "blocked by a waived failure: not executed, because step failed",
  );
  expect(report.clauses[2]?.reason).toContain("waived failures block its checks");
});

test("without a waiver or with an expired waiver, a blocked check stays inconclusive", () => {
  for (const waivers of [[], [waiver("BETA", "2026-04-30")]]) {
    const { report, exitCode } = judge({ waivers });
    expect([exitCode, report.clauses.map(({ verdict }) => verdict)]).toEqual([1, ["passed", "failed", "inconclusive"]]);
  }
});

test("a check that another failure blocks stays unjudged", () => {
  const busyCheck = check("three", "GAMMA", "inconclusive", { subjects: 0, reason: "the server was busy" });
  const checks = (waivedEvidence.checks ?? []).map((one) => (one.scenario === "three" ? busyCheck : one));
  const { report, exitCode } = judge({ checks, waivers: [waiver("BETA")] });
  expect([exitCode, report.clauses[2]?.verdict]).toEqual([3, "inconclusive"]);
});

test("judging a report again starts from the verdicts before waivers", () => {
  const { report } = judge({ waivers: [waiver("BETA")] });
  const before = removeWaivers(report);
  expect(before.checks.map(({ verdict, reason }) => [verdict, reason])).toEqual(
    (waivedEvidence.checks ?? []).map(({ verdict, reason }) => [verdict, reason]),
  );
  expect(before.scenarios.map(({ verdict }) => verdict)).toEqual(["passed", "failed", "inconclusive"]);
});

test("a waiver covers a check that the waived failure explains, and the clause that only this check could judge", () => {
  const failed = { expected: "status: 201", actual: "status: 500", operation: "POST /a", mismatches: [set] };
  const drawnCheck = { ...check("two", "BETA", "failed", failed), id: "two/cases", clauses: ["BETA", "GAMMA"], replay: "token" };
  const scenarios = [line("one", "ALPHA", "passed"), { ...line("two", "BETA", "failed"), proves: ["BETA", "GAMMA"] }];
  const checks = [check("one", "ALPHA", "passed"), check("two", "BETA", "failed", failed), drawnCheck];
  const { report, exitCode } = judge({ scenarios, checks, waivers: [waiver("BETA")] });
  expect([exitCode, report.clauses.map(({ verdict }) => verdict)]).toEqual([0, ["passed", "waived", "waived"]]);
  const unwaived = judge({ scenarios, checks, waivers: [] });
  expect([unwaived.exitCode, unwaived.report.clauses.map(({ verdict }) => verdict)]).toEqual([
    1,
    ["passed", "failed", "inconclusive"],
  ]);
});
