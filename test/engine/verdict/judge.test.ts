import { describe, expect, test } from "vitest";
import type { RunEvidence } from "../../../src/engine/report/report.js";
import { judgeEvidence } from "../../../src/engine/verdict/judge.js";
import { check, EVIDENCE, LEDGER, line, RULES, waiver } from "../report/sample.js";

const passing = { scenarios: [line("one", "ALPHA", "passed")], checks: [check("one", "ALPHA", "passed")] };
const failing = {
  scenarios: [...passing.scenarios, line("two", "BETA", "failed", "step: no")],
  checks: [...passing.checks, check("two", "BETA", "failed", { actual: "no" })],
};
const narrow = { only: ["*"] };

/** The verdicts of the clauses, the states of the waivers and the exit code of a run of some scenarios. */
function judge(change: Partial<RunEvidence>) {
  const { report, exitCode } = judgeEvidence(RULES, { ...EVIDENCE, selection: narrow, ...change });
  return {
    exitCode,
    clauses: report.clauses.map(({ id, verdict }) => `${id} ${verdict}`),
    waivers: report.waivers.map(({ state }) => state),
    report,
  };
}

const WAIVERS: [what: string, change: Partial<RunEvidence>, clause: string, state: string, exitCode: number][] = [
  ["a waiver turns a failure into no finding", { ...failing, waivers: [waiver("BETA")] }, "BETA waived", "used", 0],
  ["it holds to the end of its last day", { ...failing, waivers: [waiver("BETA", "2026-05-01")] }, "BETA waived", "used", 0],
  ["and not on the day after", { ...failing, waivers: [waiver("BETA", "2026-04-30")] }, "BETA failed", "expired", 1],
  ["not on another target", { ...failing, waivers: [waiver("BETA", "2026-12-31", "live")] }, "BETA failed", "other-target", 1],
  [
    "but on the target's address",
    { ...failing, waivers: [waiver("BETA", "2026-12-31", "https://staging.example")] },
    "BETA waived",
    "used",
    0,
  ],
  [
    "a waiver of a clause that passes is stale, and a finding",
    { ...passing, waivers: [waiver("ALPHA")] },
    "ALPHA stale-waiver",
    "stale",
    1,
  ],
  [
    "a shard cannot tell that a waiver is stale",
    { ...passing, waivers: [waiver("ALPHA")], selection: { only: [], shard: { index: 1, of: 2 } } },
    "ALPHA passed",
    "unused",
    0,
  ],
  ["a waiver forgives no silence", { waivers: [waiver("GAMMA")] }, "GAMMA inconclusive", "unused", 1],
];

describe("a run's waivers", () => {
  test.each(WAIVERS)("%s", (_, change, clause, state, exitCode) => {
    const judged = judge(change);
    expect([judged.clauses.includes(clause), judged.waivers, judged.exitCode]).toEqual([true, [state], exitCode]);
  });

  test("reach the checks and scenarios that fail for nothing else", () => {
    const { report } = judge({ ...failing, waivers: [waiver("BETA")] });
    expect(report.checks[1]).toMatchObject({ verdict: "waived", actual: "no", reason: expect.stringContaining("T-1") });
    expect(report.scenarios[1]?.verdict).toBe("waived");
  });

  test("do not hide a check that breaks another clause too", () => {
    const both = check("two", "BETA", "failed", { clauses: ["BETA", "GAMMA"] });
    const { report, exitCode } = judge({
      scenarios: [{ ...line("two", "BETA", "failed"), proves: ["BETA", "GAMMA"] }],
      checks: [both],
      waivers: [waiver("BETA")],
    });
    expect([report.checks[0]?.verdict, report.clauses.map(({ verdict }) => verdict), exitCode]).toEqual([
      "failed",
      ["waived", "failed"],
      1,
    ]);
  });

  test("say so when they have expired", () => {
    const { report } = judge({ ...failing, waivers: [waiver("BETA", "2026-04-30")] });
    expect(report.clauses[1]?.reason).toBe("no; its waiver (T-1) expired on 2026-04-30");
  });
});

describe("a run of the whole suite", () => {
  const ledger = {
    ...LEDGER,
    OPEN: { section: 4, says: "…", level: "open", surface: ["rest"] },
    CALLER: { section: 4, says: "…", level: "stated", surface: ["client"] },
    HIDDEN: { section: 4, says: "…", level: "stated", surface: ["rest"], excluded: "nothing shows it" },
  };

  test("names every clause of the ledger, with the reason why some are asked of no server", () => {
    const { report } = judgeEvidence({ ...RULES, clauses: ledger }, EVIDENCE);
    expect(report.clauses.slice(3).map(({ id, verdict, reason }) => [id, verdict, reason])).toEqual([
      ["OPEN", "informational", "the contract leaves it open, so it is never asserted"],
      ["CALLER", "not-applicable", "it binds callers, so no server can be asked"],
      ["HIDDEN", "not-applicable", "nothing shows it"],
    ]);
  });

  test("does not pass while a shard is missing, though all that was seen passed", () => {
    const alone = { ALPHA: LEDGER.ALPHA! };
    const seen = { ...EVIDENCE, ...passing };
    expect(judgeEvidence({ ...RULES, clauses: alone }, seen).exitCode).toBe(0);
    expect(judgeEvidence({ ...RULES, clauses: alone }, { ...seen, selection: { only: [], missing_shards: [2] } }).exitCode).toBe(
      3,
    );
  });
});
