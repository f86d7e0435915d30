import { expect, test } from "vitest";
import type { Report } from "../../src/engine/report/report.js";
import { isExplainedEnd, legalEnd, listUnpassed } from "./legal-ends.js";

type Row = [step: string, clause: string | undefined, verdict: string, reason: string, blockedBy?: string];

/** Returns the end of a run with these checks of one scenario, and clauses that none of them judged. */
function getEnd(exitCode: number, ...rows: Row[]) {
  const checks = rows.map(([step, clause, verdict, reason, blockedBy]) => ({
    ...{ scenario: "under-test", step, verdict, reason, clauses: clause === undefined ? [] : [clause] },
    ...(blockedBy !== undefined && { blocked_by: blockedBy }),
  }));
  const clauses = rows.flatMap(([, id, verdict, reason]) => (id === undefined ? [] : [{ id, verdict, reason }]));
  return legalEnd({ checks, clauses, selection: {} } as unknown as Report, exitCode);
}

const NO_ROOM = "the plan has no room (section 4). To judge this, give it room (status 403)";

test("a check has the reason of the step that prevented it", () => {
  const end = getEnd(
    3,
    ["use.spare#1", undefined, "inconclusive", NO_ROOM],
    ["saved", undefined, "inconclusive", "{ref} has no value", "use.spare#1"],
    ["judged", "A", "not-observed", "not executed", "saved"],
  );
  expect(end).toEqual({ exit_code: 3, choices: ["the plan has no room (section 4)"], unnamed: [] });
  expect(isExplainedEnd(end)).toBe(true);
});

test("a reason without a choice is a problem, except with exit code 0", () => {
  const rows: Row[] = [
    ["judged", "A", "inconclusive", NO_ROOM],
    ["other", "B", "inconclusive", "nothing to judge: /data is an empty list"],
  ];
  expect(getEnd(3, ...rows).unnamed).toEqual(["B"]);
  expect([isExplainedEnd(getEnd(3, ...rows)), isExplainedEnd(getEnd(0, ...rows))]).toEqual([false, true]);
});

test("a clause whose request got no answer needs no choice", () => {
  const clauses = [{ id: "A", verdict: "inconclusive" }];
  const check = { scenario: "under-test", step: "judged", clauses: ["A"], verdict: "inconclusive", reason: "no answer" };
  const unnamed = (basis: string) =>
    legalEnd({ checks: [{ ...check, basis }], clauses, selection: {} } as unknown as Report, 3).unnamed;
  expect([unnamed("no-answer"), unnamed("answer")]).toEqual([[], ["A"]]);
});

test("a clause without a contrast is a problem, except in a shard", () => {
  const clauses = [{ id: "A", verdict: "inconclusive", reason: "the answer is as expected, but no request succeeded" }];
  const unnamed = (selection: object) => legalEnd({ checks: [], clauses, selection } as unknown as Report, 3).unnamed;
  expect([unnamed({}), unnamed({ shard: { index: 1, of: 4 } })]).toEqual([["A"], []]);
});

test("a clause without a check and without a reason is a problem, except in a shard", () => {
  const clauses = [{ id: "A", verdict: "not-observed" }];
  const unnamed = (selection: object) => legalEnd({ checks: [], clauses, selection } as unknown as Report, 3).unnamed;
  expect([unnamed({}), unnamed({ shard: { index: 1, of: 4 } })]).toEqual([["A"], []]);
});

test("a step that waits for itself ends the search", () => {
  expect(getEnd(3, ["judged", "A", "inconclusive", "late", "judged"]).unnamed).toEqual(["A"]);
});

test("every clause that did not pass is listed; in a shard, none whose checks all passed", () => {
  const clauses = [
    { id: "PASSED", verdict: "passed" },
    { id: "WITHOUT-CONTRAST", verdict: "inconclusive" },
    { id: "FAILED", verdict: "failed" },
    { id: "OPEN", verdict: "inconclusive" },
  ];
  const checks = [
    { verdict: "passed", clauses: ["PASSED", "WITHOUT-CONTRAST", "OPEN"] },
    { verdict: "failed", clauses: ["FAILED"] },
    { verdict: "inconclusive", clauses: ["OPEN"] },
  ];
  const list = (selection: object) => listUnpassed({ clauses, checks, selection } as unknown as Report);
  const listed = ["FAILED failed", "OPEN inconclusive"];
  expect(list({ shard: { index: 1, of: 2 } })).toEqual(listed);
  expect(list({})).toEqual(["WITHOUT-CONTRAST inconclusive", ...listed]);
});
