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
  ["a waiver waives a failure", { ...failing, waivers: [waiver("BETA")] }, "BETA waived", "used", 0],
  ["a waiver is valid on its last day", { ...failing, waivers: [waiver("BETA", "2026-05-01")] }, "BETA waived", "used", 0],
  [
    "a waiver is not valid after its last day",
    { ...failing, waivers: [waiver("BETA", "2026-04-30")] },
    "BETA failed",
    "expired",
    1,
  ],
  [
    "a waiver for another target has no effect",
    { ...failing, waivers: [waiver("BETA", "2026-12-31", "live")] },
    "BETA failed",
    "other-target",
    1,
  ],
  [
    "a waiver for the URL of the target is valid",
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
    "no waiver is stale in a shard",
    { ...passing, waivers: [waiver("ALPHA")], selection: { only: [], shard: { index: 1, of: 2 } } },
    "ALPHA passed",
    "unused",
    0,
  ],
  ["a waiver applies only to a judged clause", { waivers: [waiver("GAMMA")] }, "GAMMA inconclusive", "unused", 1],
];

describe("a run's waivers", () => {
  test.each(WAIVERS)("%s", (_, change, clause, state, exitCode) => {
    const judged = judge(change);
    expect([judged.clauses.includes(clause), judged.waivers, judged.exitCode]).toEqual([true, [state], exitCode]);
  });

  test("apply to checks and scenarios without another failure", () => {
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

  test("report that they have expired", () => {
    const { report } = judge({ ...failing, waivers: [waiver("BETA", "2026-04-30")] });
    expect(report.clauses[1]?.reason).toBe("no; its waiver (T-1) expired on 2026-04-30");
  });
});

test("a cause names no clause whose failure another check explains", () => {
  const operation = "GET /loans";
  const drawnCheck = { ...check("three", "GAMMA", "failed"), clauses: ["BETA", "GAMMA"], replay: "token", operation };
  const scenarios = [...failing.scenarios, { ...line("three", "GAMMA", "failed"), proves: ["BETA", "GAMMA"] }];
  const { clauses, report } = judge({ scenarios, checks: [...failing.checks.map((one) => ({ ...one, operation })), drawnCheck] });
  expect(clauses).toEqual(["ALPHA passed", "BETA failed", "GAMMA inconclusive"]);
  expect(report.causes?.flatMap((cause) => cause.clauses)).toContain("BETA");
  expect(report.causes?.flatMap((cause) => cause.clauses)).not.toContain("GAMMA");
});

describe("a run of the whole suite", () => {
  const ledger = {
    ...LEDGER,
    OPEN: { section: 4, description: "…", level: "open", surface: ["rest"] },
    CALLER: { section: 4, description: "…", level: "stated", surface: ["client"] },
    HIDDEN: { section: 4, description: "…", level: "stated", surface: ["rest"], excluded: "nothing shows it" },
  };

  test("lists every clause of the ledger, with the reason why it does not claim some", () => {
    const { report } = judgeEvidence({ ...RULES, clauses: ledger }, EVIDENCE);
    expect(report.clauses.slice(3).map(({ id, verdict, reason }) => [id, verdict, reason])).toEqual([
      ["OPEN", "informational", "the contract does not define it, so no check asserts it"],
      ["CALLER", "not-applicable", "it binds clients, so a run against a server cannot test it"],
      ["HIDDEN", "not-applicable", "nothing shows it"],
    ]);
  });

  test("does not pass while a shard is missing, even if everything else passed", () => {
    const alone = { ALPHA: LEDGER.ALPHA! };
    const seen = { ...EVIDENCE, ...passing };
    expect(judgeEvidence({ ...RULES, clauses: alone }, seen).exitCode).toBe(0);
    expect(judgeEvidence({ ...RULES, clauses: alone }, { ...seen, selection: { only: [], missing_shards: [2] } }).exitCode).toBe(
      3,
    );
  });
});

describe("a claim of some clauses", () => {
  const claim = { names: ["ALPHA", "GAMMA"], clauses: ["ALPHA", "GAMMA"], total: 3 };

  test("leaves failures of other clauses as warnings, and names what it could not judge", () => {
    const { report, exitCode } = judge({ ...EVIDENCE, selection: { only: [] }, claim });
    expect(report.clauses.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["ALPHA", "passed"],
      ["GAMMA", "inconclusive"],
      ["BETA", "warned"],
    ]);
    expect([exitCode, report.outcome.sentence]).toEqual([
      3,
      "No clause is broken, but 1 of 2 claimed clauses is not judged: GAMMA.",
    ]);
  });

  test("is not met if the target cannot judge it", () => {
    const lacking = { ...line("three", "GAMMA", "not-applicable", "the target offers no worlds"), missing: ["worlds"] };
    const seen = { scenarios: [...passing.scenarios, lacking], checks: passing.checks };
    expect(judge(seen).report.outcome.sentence).toBe("Conforms as far as 1 of 2 clauses could be judged; 1 need: worlds (1).");
    const { report, exitCode } = judge({ ...seen, claim });
    expect([exitCode, report.clauses.map(({ verdict }) => verdict)]).toEqual([3, ["passed", "not-observed"]]);
  });
});
