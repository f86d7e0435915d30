import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openCoverage } from "../../../../src/engine/property/coverage.js";
import { drawFilters, pickConformingFilters, readList } from "../../../../src/suite/laws/lists/queries.js";

describe("combined filters", () => {
  const cases: { name: string; drawn: Record<string, string>; kept: Record<string, string> }[] = [
    {
      name: "a close reason goes without a status, which it implies",
      drawn: { status: "new", close_reason: "fixed" },
      kept: { close_reason: "fixed" },
    },
    { name: "has_fix_pr goes without a status", drawn: { status: "new", has_fix_pr: "true" }, kept: { has_fix_pr: "true" } },
    {
      name: "easy wins are asked for as open findings",
      drawn: { easy_wins: "true", kind: "advisory" },
      kept: { easy_wins: "true", kind: "finding", status: "new" },
    },
    {
      name: "others stay as they are",
      drawn: { kind: "advisory", status: "closed" },
      kept: { kind: "advisory", status: "closed" },
    },
  ];

  test.each(cases)("$name", ({ drawn, kept }) => {
    expect(pickConformingFilters(drawn)).toEqual(kept);
  });

  test("are drawn so that removing contradictions changes nothing else", () => {
    const filters = drawFilters({ coverage: openCoverage(), offers: () => true });
    const keeps = fc.property(filters, (drawn) => {
      expect(pickConformingFilters(drawn)).toEqual(drawn);
    });
    fc.assert(keeps, { seed: 1 });
  });

  test("name a second repository only for a target that has one", () => {
    const filters = drawFilters({ coverage: openCoverage(), offers: () => false });
    fc.assert(
      fc.property(filters, ({ repo }) => repo !== "{slug2}"),
      { seed: 1 },
    );
  });
});

test("a list request has a route, filters and page parameters", () => {
  const query = { list: "repository jobs" as const, filters: { workflow: "audit" } };
  expect(readList(query, { limit: 7 })).toEqual({
    rest: "GET /api/repos/{repo}/jobs",
    query: { workflow: "audit", limit: 7 },
    allPages: true,
  });
});
