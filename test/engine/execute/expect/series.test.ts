import { describe, expect, test } from "vitest";
import { matchSeries } from "../../../../src/engine/execute/expect/series.js";
import type { WireResponse } from "../../../../src/engine/http/exchange.js";
import type { SeriesText } from "../../../../src/engine/scenario/format.js";
import { suite } from "../../../../src/suite/suite.js";

function respondsTo(...statuses: number[]): WireResponse[] {
  return statuses.map((status, index) => ({
    status,
    headers: {},
    body: new TextEncoder().encode(JSON.stringify({ id: `job-${index}` })),
  }));
}

describe("the answers of a race", () => {
  const both = { answers: [{ status: 201 }, { status: 200 }] };
  const turned = { answers: [{ status: 200 }, { status: 201 }] };
  const cases: { name: string; expected: SeriesText; statuses: number[]; mismatches: unknown[] }[] = [
    { name: "are compared each with its own expectation", expected: both, statuses: [201, 200], mismatches: [] },
    {
      name: "tell which of them differs",
      expected: both,
      statuses: [201, 201],
      mismatches: [{ at: "status", status: 201, answer: 2, expected: "200", actual: "201" }],
    },
    {
      name: "differ when there are more of them than expected",
      expected: both,
      statuses: [201, 200, 200],
      mismatches: [{ at: "answers", expected: "2", actual: "3" }],
    },
    { name: "may be one of several outcomes", expected: { oneOf: [both, turned] }, statuses: [200, 201], mismatches: [] },
    {
      name: "must be one of the outcomes as a whole",
      expected: { oneOf: [both, turned] },
      statuses: [201, 201],
      mismatches: [{ at: "outcome", expected: "one of 2 allowed outcomes", actual: '"none of them: statuses 201, 201"' }],
    },
    {
      name: "count by status within an outcome",
      expected: { oneOf: [{ statuses: { 201: 2 } }, both] },
      statuses: [201, 201],
      mismatches: [],
    },
  ];

  test.each(cases)("$name", ({ expected, statuses, mismatches }) => {
    const foundMismatches = matchSeries(expected, respondsTo(...statuses), suite.answers).mismatches;
    expect(foundMismatches.map(({ isOfCount: _, ...shown }) => shown)).toEqual(mismatches);
  });
});

test.each([
  ["where the first 429 came", { first429: 3 }, true],
  ["how many there were of a status", { statuses: { 200: 3 } }, true],
  ["the content of one answer", { answers: [{ status: 404 }, { status: 200 }] }, undefined],
])("a mismatch says whether it is of %s", (_, expected, isOfCount) => {
  const [mismatch] = matchSeries(expected, respondsTo(200, 200), suite.answers).mismatches;
  expect(mismatch?.isOfCount).toBe(isOfCount);
});
