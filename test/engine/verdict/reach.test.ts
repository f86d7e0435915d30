import { describe, expect, test } from "vitest";
import { partlyJudged, reachLine, reachText } from "../../../src/engine/report/reach.js";
import type { Covers, Dimensions } from "../../../src/engine/scenario/dimensions.js";
import { judgeClauses } from "../../../src/engine/verdict/clauses.js";
import { reachOf } from "../../../src/engine/verdict/reach.js";
import { check, LEDGER, line } from "../report/sample.js";

const dimensions: Dimensions = {
  letter: { says: "a letter", values: { rest: ["a", "b"], mcp: ["c"] } },
  body: { says: "a body", values: ["long"] },
};
const checkOf = (covers: Covers, verdict: "passed" | "failed" | "inconclusive" = "passed") =>
  check("letters", "ALPHA", verdict, { covers });

describe("how much of a clause was judged", () => {
  test.each([
    ["page with a body", "0 of 2 pages with a body, not x, y"],
    ["reply", "0 of 2 replies, not x, y"],
    ["job status", "0 of 2 job statuses, not x, y"],
    ["key", "0 of 2 keys, not x, y"],
  ])("is told of %ss in their plural", (dimension, text) => {
    expect(reachText({ over: [{ dimension, values: 2, reached: 0, missing: ["x", "y"] }] })).toBe(text);
    expect(reachText({ over: [{ dimension, values: 2, reached: 0, missing: ["x", "y"] }] }, 1)).toContain("not x and 1 more");
  });

  test.each<[string, Parameters<typeof reachOf>[0], Covers[], string]>([
    ["a clause that speaks of one thing", { surface: ["rest"] }, [{ rest: {} }], ""],
    ["a clause on two surfaces", { surface: ["rest", "mcp"] }, [{ rest: {} }], "1 of 2 surfaces, not mcp"],
    ["all values of one dimension", { surface: ["mcp"], over: ["letter"] }, [{ mcp: { letter: ["c"] } }], "1 of 1 letter"],
    [
      "some of them, by several checks",
      { surface: ["rest", "mcp"], over: ["letter"] },
      [{ rest: { letter: ["a"] } }, { mcp: { letter: ["c", "z"] } }],
      "2 of 3 letters, not rest b",
    ],
    [
      "each dimension by itself",
      { surface: ["rest"], over: ["letter", "body"] },
      [{ rest: { letter: ["a", "b"] } }],
      "2 of 2 letters; 0 of 1 body, not long",
    ],
  ])("is told of %s", (_, clause, covers, text) => {
    const over = reachOf(
      clause,
      dimensions,
      covers.map((one) => checkOf(one)),
    );
    expect(reachText({ over })).toBe(text);
  });

  test("counts checks that judged, and no others", () => {
    const clauses = { ALPHA: { ...LEDGER.ALPHA!, over: ["letter"] } };
    const checks = [
      checkOf({ rest: { letter: ["a"] } }),
      { ...checkOf({ rest: { letter: ["b"] } }, "inconclusive"), reason: "nobody was there" },
    ];
    const judged = judgeClauses({ clauses, coverage: { dimensions } }, ["ALPHA"], {
      scenarios: [line("letters", "ALPHA", "passed")],
      checks: checks.slice(0, 1),
    });
    expect(judged[0]?.over).toEqual([{ dimension: "letter", values: 2, reached: 1, missing: ["b"] }]);
    expect(partlyJudged({ clauses: judged }).map(({ id }) => id)).toEqual(["ALPHA"]);
    expect(reachLine({ clauses: judged })).toBe("1 of the passed clauses speak of several: 1 of 2 values judged");
    const both = judgeClauses({ clauses, coverage: { dimensions } }, ["ALPHA"], {
      scenarios: [line("letters", "ALPHA", "inconclusive")],
      checks,
    });
    expect(both[0]?.over?.[0]?.reached).toBe(1);
  });
});
