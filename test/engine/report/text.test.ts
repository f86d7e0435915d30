import { describe, expect, test } from "vitest";
import { formatTextReport } from "../../../src/engine/report/text.js";
import { check, line, OUTLINE, sample } from "./sample.js";

const names = Array.from({ length: 300 }, (_, n) => `s${n}`);
const clauses = ["ALPHA", "BETA", "GAMMA"];
const report = sample({
  scenarios: names.map((name, n) => line(name, clauses[n % 3] ?? "", n < 150 ? "failed" : "inconclusive", `step: busy at ${n}`)),
  checks: names.map((name, n) =>
    n < 150
      ? check(name, clauses[n % 3] ?? "", "failed", {
          operation: `GET /${n % 30}`,
          mismatches: [{ at: "status", status: 400 + (n % 30), expected: "200", actual: String(400 + (n % 30)) }],
        })
      : check(name, clauses[n % 3] ?? "", "inconclusive", { reason: `busy at ${n}` }),
  ),
});
const text = (details?: boolean) => formatTextReport(report, OUTLINE, { colour: false, ...(details && { details }) });

describe("the text form with many findings", () => {
  test("fits on a screen: causes with their size, and unjudged scenarios", () => {
    expect(text().split("\n").length).toBeLessThan(50);
    expect(text()).toContain("150 failed checks, probably 30 causes. Fix the first cause first: it explains 5 of them.");
    expect(text()).toContain(
      "✗ GET /0 answers 400, not 200: 5 failed checks of 1 clause\n    ALPHA passes in no other check: Every `alpha` is a letter.\n    e.g. npx counterpart-kit show DIR s0/step\n",
    );
    expect(text()).toContain("  and 20 more causes with 100 failed checks");
    expect(text()).toContain("  150 scenarios: inconclusive: step: busy at 150");
  });

  test("names the directory of the report in the command of each cause", () => {
    const named = formatTextReport(report, OUTLINE, { colour: false, directory: "my report" });
    expect(named.match(/^ {4}e\.g\. npx counterpart-kit show 'my report' s\d+\/step$/gm)).toHaveLength(10);
  });

  test("shows every finding if the style wants details", () => {
    expect(text(true).match(/^✗ s\d+\/step$/gm)).toHaveLength(150);
    expect(text(true)).toContain("  replay   npx counterpart-kit replay scenarios/1-letters/s149.yaml");
  });
});

test("shows up to two findings in full", () => {
  const mismatches = [{ at: "/a", expected: "1", actual: "2" }];
  const two = ["a", "b"].map((name) => check(name, "BETA", "failed", { expected: "/a: 1", actual: "/a: 2", mismatches }));
  const few = sample({ scenarios: ["a", "b"].map((name) => line(name, "BETA", "failed")), checks: two });
  expect(formatTextReport(few, OUTLINE, { colour: false }).match(/^ {2}actual {3}\/a: 2$/gm)).toHaveLength(2);
});
