import { describe, expect, test } from "vitest";
import { formatDimensions, listPartlyCovered, summarizeDimensions } from "../../../src/engine/report/dimension-coverage.js";
import type { Covers, Dimensions } from "../../../src/engine/scenario/dimensions.js";
import { judgeClauses } from "../../../src/engine/verdict/clauses.js";
import { computeDimensionCoverage } from "../../../src/engine/verdict/dimension-coverage.js";
import { check, LEDGER, line } from "../report/sample.js";

const dimensions: Dimensions = {
  letter: { description: "a letter", values: { rest: ["a", "b"], mcp: ["c"] } },
  body: { description: "a body", values: ["long"] },
};
const getCheck = (covers: Covers, verdict: "passed" | "failed" | "inconclusive" = "passed") =>
  check("letters", "ALPHA", verdict, { covers });

describe("the dimension coverage of a clause", () => {
  test.each([
    ["page with a body", "0 of 2 pages with a body (missing: x, y)"],
    ["reply", "0 of 2 replies (missing: x, y)"],
    ["job status", "0 of 2 job statuses (missing: x, y)"],
    ["key", "0 of 2 keys (missing: x, y)"],
  ])("names %s in the plural", (dimension, text) => {
    expect(formatDimensions({ dimensions: [{ dimension, values: 2, judged: 0, missing: ["x", "y"] }] })).toBe(text);
    expect(formatDimensions({ dimensions: [{ dimension, values: 2, judged: 0, missing: ["x", "y"] }] }, 1)).toContain(
      "(missing: x and 1 more)",
    );
  });

  test.each<[string, Parameters<typeof computeDimensionCoverage>[0], Covers[], string]>([
    ["a clause on one surface without a dimension", { surface: ["rest"] }, [{ rest: {} }], ""],
    ["a clause on two surfaces", { surface: ["rest", "mcp"] }, [{ rest: {} }], "1 of 2 surfaces (missing: mcp)"],
    ["all values of one dimension", { surface: ["mcp"], over: ["letter"] }, [{ mcp: { letter: ["c"] } }], "1 of 1 letter"],
    [
      "some of them, by several checks",
      { surface: ["rest", "mcp"], over: ["letter"] },
      [{ rest: { letter: ["a"] } }, { mcp: { letter: ["c", "z"] } }],
      "2 of 3 letters (missing: rest b)",
    ],
    [
      "each dimension by itself",
      { surface: ["rest"], over: ["letter", "body"] },
      [{ rest: { letter: ["a", "b"] } }],
      "2 of 2 letters; 0 of 1 body (missing: long)",
    ],
  ])("describes %s", (_, clause, covers, text) => {
    const coverage = computeDimensionCoverage(
      clause,
      dimensions,
      covers.map((cover) => getCheck(cover)),
    );
    expect(formatDimensions({ dimensions: coverage })).toBe(text);
  });

  test("counts only checks that judged", () => {
    const clauses = { ALPHA: { ...LEDGER.ALPHA!, over: ["letter"] } };
    const checks = [
      getCheck({ rest: { letter: ["a"] } }),
      { ...getCheck({ rest: { letter: ["b"] } }, "inconclusive"), reason: "nobody was there" },
    ];
    const clauseVerdicts = judgeClauses({ clauses, coverage: { dimensions } }, ["ALPHA"], {
      scenarios: [line("letters", "ALPHA", "passed")],
      checks: checks.slice(0, 1),
    });
    expect(clauseVerdicts[0]?.dimensions).toEqual([{ dimension: "letter", values: 2, judged: 1, missing: ["b"] }]);
    expect(listPartlyCovered({ clauses: clauseVerdicts }).map(({ id }) => id)).toEqual(["ALPHA"]);
    expect(summarizeDimensions({ clauses: clauseVerdicts })).toBe(
      "1 passed clause applies to several values: 1 of 2 values were judged",
    );
    const both = judgeClauses({ clauses, coverage: { dimensions } }, ["ALPHA"], {
      scenarios: [line("letters", "ALPHA", "inconclusive")],
      checks,
    });
    expect(both[0]?.dimensions?.[0]?.judged).toBe(1);
  });
});
