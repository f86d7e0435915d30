import { expect, test } from "vitest";
import type { Check, Verdict } from "../../../../src/engine/execute/check.js";
import type { PropertyEntry } from "../../../../src/engine/property/result.js";
import type { Report } from "../../../../src/engine/report/report.js";
import { collectFailures, compareFailures } from "../../../../src/engine/run/watch/failures.js";

type Round = Pick<Report, "checks" | "scenarios" | "properties">;

/** Returns a round with one check of a scenario. */
function createRound(scenario: string, verdict: Verdict, at = "status", actual = "404"): Round {
  const mismatches =
    verdict === "failed" ? [{ at, expected: "200", actual, ...(at === "status" && { status: Number(actual) }) }] : [];
  const shown = mismatches.length > 0 ? { expected: `${at}: 200`, actual: `${at}: ${actual}`, mismatches } : {};
  const check: Check = {
    id: `${scenario}/one`,
    scenario,
    step: "one",
    verdict,
    clauses: ["A"],
    subjects: 1,
    file: "f",
    line: 1,
    ...shown,
  };
  const scenarios = [{ scenario, title: "", verdict, requests: 1, proves: [] }] as unknown as Report["scenarios"];
  return { checks: [check], scenarios, properties: [] };
}

const property = { id: "law", counterexample: "scenario: found-law" } as PropertyEntry;

test.each([
  ["a pass", "a", createRound("a", "passed"), ["passes now: a/one (A)"], 0],
  ["the same failure", "a", createRound("a", "failed"), [], 1],
  [
    "the same place with another value",
    "a",
    createRound("a", "failed", "/id", "7"),
    ["fails in another way: a/one (A): expected /id: 200, got /id: 7"],
    1,
  ],
  [
    "another status",
    "a",
    createRound("a", "failed", "status", "500"),
    ["fails in another way: a/one (A): expected status: 200, got status: 500"],
    1,
  ],
  ["a failure without a known cause", "a", createRound("a", "inconclusive"), [], 1],
  ["a check that did not start", "a", createRound("a", "not-observed"), [], 1],
  ["a pass of another scenario", "a", createRound("b", "passed"), [], 1],
  ["a counterexample that passes", "property:law", createRound("found-law", "passed"), ["passes now: property:law (A)"], 0],
  [
    "a counterexample that says nothing any more",
    "property:law",
    createRound("found-law", "inconclusive"),
    ["passes now: property:law (A)"],
    0,
  ],
  ["a counterexample that fails", "property:law", createRound("found-law", "failed"), [], 1],
])("%s after a failure", (_, scenario, round, lines, left) => {
  const failuresBefore = collectFailures({ ...createRound(scenario, "failed"), properties: [property] });
  const change = compareFailures(failuresBefore, round);
  expect([change.lines, change.failures.size]).toEqual([lines, left]);
});
