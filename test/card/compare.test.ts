import { expect, test } from "vitest";
import { openCard, reportOf } from "../../src/card/card.js";
import { compareTrials, type Trial } from "../../src/card/compare.js";
import type { ClientReport } from "../../src/card/report.js";

const blank = reportOf(openCard());

function trial(exitCode: number, routes: string[] = [], remarks: ClientReport["remarks"] = []): Trial {
  return { exitCode, report: { ...blank, remarks, met: { ...blank.met, routes: { met: routes, unmet: [] } } } };
}

const verdictOn = ({ clauses }: ClientReport, id: string) => clauses.find((clause) => clause.id === id)?.verdict;
const remark = { id: "x", severity: "forbidden" as const, clauses: [], says: "", count: 1, examples: [] };

test.each<[what: string, plain: Trial, varied: Trial, remarks: string[], verdict: string]>([
  ["fares alike", trial(0, ["a", "b"]), trial(0, ["a", "b", "c"]), [], "passed"],
  ["fails where answers vary", trial(0), trial(1), ["leans-on-undocumented forbidden"], "failed"],
  ["leaves out a part", trial(0, ["a", "b"]), trial(0, ["a"]), ["leans-on-undocumented discouraged"], "warned"],
  ["fails by itself", trial(1, ["a"]), trial(1), [], "not-observed"],
  ["is rude in one run", trial(0), trial(0, [], [remark]), ["x forbidden"], "passed"],
])("a program that %s", (_what, plain, varied, remarks, verdict) => {
  const report = compareTrials(plain, varied);
  expect(report.remarks.map(({ id, severity }) => `${id} ${severity}`)).toEqual(remarks);
  expect(report.verdict).toBe(remarks.length === 0 ? "polite" : "remarks");
  expect(["VERSION-TOLERATE", "ERR-CODE-BRANCH", "JOB-SUBMIT-ONLY-201"].map((id) => verdictOn(report, id))).toEqual(
    Array(3).fill(verdict),
  );
});

test("counts what is rude in both runs together", () => {
  const { remarks } = compareTrials(trial(0, [], [remark]), trial(0, [], [remark]));
  expect(remarks).toEqual([{ ...remark, count: 2 }]);
});
