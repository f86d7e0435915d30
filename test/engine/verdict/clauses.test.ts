import { describe, expect, test } from "vitest";
import type { Check, Verdict } from "../../../src/engine/execute/check.js";
import { judgeClauses, listTestableClauses } from "../../../src/engine/verdict/clauses.js";
import type { Evidence } from "../../../src/engine/verdict/evidence.js";
import { createOutcome } from "../../../src/engine/verdict/outcome.js";

const row = (level: string, surface: string[], excluded?: string) => ({
  section: 4,
  description: "…",
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

/** A scenario that claims A, with its checks given as verdict, subjects and basis. */
function execution(
  name: string,
  verdict: Verdict,
  checks: [verdict: Verdict, subjects: number, basis?: Check["basis"], contrast?: string][] = [],
  { missing, served }: { missing?: string[]; served?: string[] } = {},
): Pick<Evidence, "scenarios" | "checks"> {
  const common = { scenario: name, clauses: ["A"], file: "f.yaml", line: 1 };
  return {
    scenarios: [
      {
        scenario: name,
        title: "…",
        file: "f.yaml",
        proves: ["A"],
        verdict,
        requests: 0,
        ...(missing && { missing }),
        ...(served && { served }),
      },
    ],
    checks: checks.map(([each, subjects, basis, contrast], index) => ({
      ...common,
      id: `${name}/${index}`,
      step: String(index),
      operation: "POST /a",
      verdict: each,
      subjects,
      ...(basis && { basis }),
      ...(contrast !== undefined && { contrasts: [contrast] }),
    })),
  };
}

const DEADLINE_REASON = { missing: ["a longer --deadline"] };

const VERDICT_CASES: [what: string, plays: Pick<Evidence, "scenarios" | "checks">[], verdict: Verdict, exitCode: number][] = [
  ["one pass", [execution("x", "passed", [["passed", 3]])], "passed", 0],
  ["a pass that judged no subject", [execution("x", "passed", [["passed", 0]])], "inconclusive", 3],
  [
    "a failure beside a pass",
    [execution("x", "passed", [["passed", 1]]), execution("y", "failed", [["failed", 1]])],
    "failed",
    1,
  ],
  [
    "a failure beside an error of the runner",
    [execution("x", "harness-error"), execution("y", "failed", [["failed", 1]])],
    "failed",
    1,
  ],
  [
    "a fault of ours beside a pass",
    [execution("x", "harness-error"), execution("y", "passed", [["passed", 1]])],
    "harness-error",
    4,
  ],
  [
    "an inconclusive check beside a pass",
    [execution("x", "inconclusive", [["inconclusive", 0]]), execution("y", "passed", [["passed", 1]])],
    "inconclusive",
    3,
  ],
  [
    "an answer that shows a legal choice beside a pass",
    [
      execution("x", "passed", [
        ["inconclusive", 0, "choice"],
        ["passed", 1],
      ]),
    ],
    "passed",
    0,
  ],
  [
    "an answer that shows no legal choice beside a pass",
    [
      execution("x", "passed", [
        ["inconclusive", 0, "answer"],
        ["passed", 1],
      ]),
    ],
    "inconclusive",
    3,
  ],
  [
    "an answer that shows a legal choice beside a pass without a contrast",
    [
      execution("x", "passed", [
        ["inconclusive", 0, "choice"],
        ["passed", 1, undefined, "POST /loans"],
      ]),
    ],
    "inconclusive",
    3,
  ],
  [
    "a control that does not match beside a pass whose control matches",
    [
      execution("x", "passed", [
        ["inconclusive", 0, "answer"],
        ["passed", 1, "control"],
      ]),
    ],
    "passed",
    0,
  ],
  [
    "no answer beside a pass whose control matches",
    [
      execution("x", "passed", [
        ["inconclusive", 0],
        ["passed", 1, "control"],
      ]),
    ],
    "inconclusive",
    3,
  ],
  ["a refusal without a contrast", [execution("x", "passed", [["passed", 1, undefined, "POST /a"]])], "inconclusive", 3],
  [
    "a refusal beside a success of another operation",
    [execution("x", "passed", [["passed", 1, undefined, "POST /a"]], { served: ["GET /a"] })],
    "inconclusive",
    3,
  ],
  [
    "a refusal beside a success of its operation in another scenario",
    [execution("x", "passed", [["passed", 1, undefined, "POST /a"]]), execution("y", "passed", [], { served: ["POST /a"] })],
    "passed",
    0,
  ],
  [
    "a read after a write that changed no compared answer",
    [execution("x", "passed", [["passed", 1, undefined, "effect of POST /a"]], { served: ["no effect of POST /a"] })],
    "inconclusive",
    3,
  ],
  [
    "a refusal whose contrast the deadline left out",
    [execution("x", "passed", [["passed", 1, undefined, "POST /a"]]), execution("y", "not-applicable", [], DEADLINE_REASON)],
    "not-applicable",
    0,
  ],
  [
    "a scenario that a legal choice left open beside a pass",
    [execution("x", "inconclusive", [["inconclusive", 0, "choice"]]), execution("y", "passed", [["passed", 1]])],
    "passed",
    0,
  ],
  [
    "a scenario that a legal choice and a lost request left open beside a pass",
    [
      execution("x", "inconclusive", [
        ["inconclusive", 0, "choice"],
        ["not-observed", 0],
      ]),
      execution("y", "passed", [["passed", 1]]),
    ],
    "passed",
    3,
  ],
  [
    "a check that a legal refusal left open, of an operation that the server serves",
    [execution("x", "inconclusive", [["inconclusive", 0, "refusal"]], { served: ["POST /a"] })],
    "not-applicable",
    3,
  ],
  [
    "a check that a legal refusal left open, of an operation that the server never serves",
    [execution("x", "inconclusive", [["inconclusive", 0, "refusal"]], { served: ["POST /b"] })],
    "inconclusive",
    3,
  ],
  [
    "a check that a legal choice without a refusal left open, of an operation that the server serves",
    [execution("x", "inconclusive", [["inconclusive", 0, "choice"]], { served: ["POST /a"] })],
    "inconclusive",
    3,
  ],
  [
    "a check that an answer left open, of an operation that the server serves",
    [execution("x", "inconclusive", [["inconclusive", 0, "answer"]], { served: ["POST /a"] })],
    "inconclusive",
    3,
  ],
  [
    "a check that a legal choice left open, and a scenario that the deadline left out",
    [execution("x", "inconclusive", [["inconclusive", 0, "choice"]]), execution("y", "not-applicable", [], DEADLINE_REASON)],
    "not-applicable",
    3,
  ],
  [
    "a check after a legal choice, and a scenario that the deadline left out",
    [execution("x", "inconclusive", [["not-observed", 0, "choice"]]), execution("y", "not-applicable", [], DEADLINE_REASON)],
    "not-applicable",
    3,
  ],
  [
    "a check that an answer left open, and a scenario that the deadline left out",
    [execution("x", "inconclusive", [["inconclusive", 0, "answer"]]), execution("y", "not-applicable", [], DEADLINE_REASON)],
    "inconclusive",
    3,
  ],
  [
    "a check without an answer, and a scenario that the deadline left out",
    [execution("x", "inconclusive", [["inconclusive", 0, "no-answer"]]), execution("y", "not-applicable", [], DEADLINE_REASON)],
    "inconclusive",
    3,
  ],
  ["a refusal whose control matches", [execution("x", "passed", [["passed", 1, "control", "POST /a"]])], "passed", 0],
  [
    "a refusal without a contrast beside a pass",
    [
      execution("x", "passed", [
        ["passed", 1, undefined, "POST /a"],
        ["passed", 1],
      ]),
    ],
    "passed",
    0,
  ],
  ["a check that did not run after a failed step", [execution("x", "inconclusive", [["not-observed", 0]])], "inconclusive", 3],
  ["an unmet need", [execution("x", "not-applicable", [], { missing: ["drive.find"] })], "not-applicable", 3],
  [
    "an unmet need beside a scenario that did not run",
    [execution("x", "not-applicable", [], { missing: ["drive.find"] }), execution("y", "not-observed")],
    "not-observed",
    3,
  ],
  ["means that do not work", [execution("x", "not-applicable")], "not-observed", 3],
  ["an unmet need beside a pass", [execution("x", "not-applicable"), execution("y", "passed", [["passed", 1]])], "passed", 0],
  [
    "a scenario outside the profile",
    [execution("x", "not-applicable", [], { missing: ["--profile full"] })],
    "not-applicable",
    3,
  ],
  ["no outcome", [], "not-observed", 3],
];

describe("a clause", () => {
  test.each(VERDICT_CASES)("with %s", (_, executions, verdict, exitCode) => {
    const scenarios = executions.flatMap((play) => play.scenarios);
    const checks = executions.flatMap((play) => play.checks);
    const clauses = judgeClauses({ clauses: LEDGER, coverage: { dimensions: {} } }, ["A"], { scenarios, checks });
    expect([clauses[0]?.verdict, createOutcome({ clauses, scenarios, checks, waivers: [], selection: {} }).exit_code]).toEqual([
      verdict,
      exitCode,
    ]);
  });

  test("that cannot be judged names the fewest items with which a scenario can judge it", () => {
    const executions = [
      execution("x", "not-applicable", [], { missing: ["worlds", "drive.find"] }),
      execution("y", "not-applicable", [], { missing: ["keys.viewer"] }),
    ];
    const [clause] = judgeClauses({ clauses: LEDGER, coverage: { dimensions: {} } }, ["A"], {
      scenarios: executions.flatMap(({ scenarios }) => scenarios),
      checks: [],
    });
    expect(clause).toMatchObject({ verdict: "not-applicable", by: ["x", "y"], missing: ["keys.viewer"] });
  });

  test("without a contrast names the answer because of which its operation was not executed", () => {
    const check = { scenario: "x", subjects: 0, file: "x.yaml", line: 1 };
    const checks: Check[] = [
      { ...check, id: "x/1", step: "1", clauses: [], verdict: "inconclusive", reason: "the shelf is empty" },
      { ...check, id: "x/2", step: "2", clauses: [], verdict: "not-observed", blocked_by: "1", operation: "POST /a" },
      { ...check, id: "x/3", step: "3", clauses: ["A"], verdict: "passed", subjects: 1, contrasts: ["POST /a"] },
    ];
    const { scenarios } = execution("x", "passed", []);
    const [clause] = judgeClauses({ clauses: LEDGER, coverage: { dimensions: {} } }, ["A"], { scenarios, checks });
    expect(clause?.reason).toMatch(/^the answer is as expected, but no request for POST \/a .*: the shelf is empty$/);
  });

  test("is testable if it is asserted, binds a server and is observable", () => {
    expect([listTestableClauses(LEDGER), listTestableClauses(LEDGER, "mcp")]).toEqual([["A", "B"], ["B"]]);
  });
});
