import { describe, expect, test } from "vitest";
import { match } from "../../../../src/engine/execute/expect/match.js";

const MATCHING_VALUES: [what: string, expected: unknown, actual: unknown][] = [
  ["a literal", "P0", "P0"],
  ["null", null, null],
  ["a partial object", { a: { b: 1 } }, { a: { b: 1, more: 2 }, more: 3 }],
  ["a list item by item", [1, { a: 1 }], [1, { a: 1, b: 2 }]],
  ["type", { type: "integer" }, 3],
  ["one of several types", { type: ["string", "null"] }, null],
  ["a timestamp", { type: "timestamp" }, "2030-01-01T00:00:00.5Z"],
  ["not", { not: 201 }, 429],
  ["in", { in: ["a", "b"] }, "b"],
  ["matches", { matches: "^SERVICE-[0-9]+$" }, "SERVICE-12"],
  ["bounds together", { type: "integer", gte: 1, lte: 3 }, 3],
  ["bounds of timestamps", { gt: "2030-01-01T00:00:00Z" }, "2030-01-01T02:00:00+01:00"],
  ["a moment in another form and precision", "2030-01-01T00:00:00Z", "2030-01-01T02:00:00.4+02:00"],
  ["length in code points", { length: 2 }, "é€"],
  ["length by a matcher", { length: { gte: 1 } }, [0]],
  ["each", { each: { status: "new" } }, [{ status: "new" }, { status: "new", x: 1 }]],
  ["contains in a list", { contains: { id: 2 } }, [{ id: 1 }, { id: 2 }]],
  ["contains in text", { contains: "plan" }, "your plan"],
  ["unique", { unique: "/ref" }, [{ ref: 1 }, { ref: 2 }]],
  ["ordered", { ordered: ["/low", "/mid", "/high"] }, { low: 1, mid: 1, high: 2 }],
  ["absent", { a: { absent: true } }, {}],
  ["present, though null", { a: { present: true } }, { a: null }],
  ["absent or null", { a: { absentOrNull: true } }, { a: null }],
  ["equals", { equals: { a: [1] } }, { a: [1] }],
  ["fields whose names look like matchers", { fields: { type: "string" } }, { type: "string", x: 1 }],
  ["a plain object whose type is not a type name", { type: "not_found" }, { type: "not_found" }],
];

const MISMATCHING_VALUES: [what: string, expected: unknown, actual: unknown, at: string][] = [
  ["another case", "P0", "p0", "body"],
  ["another type", 1, "1", "body"],
  ["a missing field", { a: { b: 1 } }, { a: {} }, "/a/b"],
  ["a field inherited from Object", { toString: { present: true } }, {}, "/toString"],
  ["a longer list", [1], [1, 2], "body"],
  ["a wrong item", { each: { n: { gte: 1 } } }, [{ n: 1 }, { n: 0 }], "/1/n"],
  ["each of no list", { each: 1 }, { a: 1 }, "body"],
  ["two alike", { unique: "/ref" }, [{ ref: 1 }, { ref: 1 }], "body"],
  ["a lower value after a higher one", { ordered: ["/low", "/mid", "/high"] }, { low: 1, mid: 3, high: 2 }, "body"],
  ["an order with a missing value", { ordered: ["/low", "/high"] }, { high: 2 }, "body"],
  ["a number where text is matched", { matches: "1" }, 1, "body"],
  ["a bound on a value that cannot be compared", { gte: 1 }, null, "body"],
  ["not", { not: 201 }, 201, "body"],
  ["more fields than equals allows", { equals: { a: 1 } }, { a: 1, b: 2 }, "body"],
  ["null where absent", { a: { absent: true } }, { a: null }, "/a"],
  ["a length", { length: 10 }, "123456789", ".length"],
  ["a date without a zone", { type: "timestamp" }, "2030-01-01T00:00:00", "body"],
  ["another moment", "2030-01-01T00:00:00.1Z", "2030-01-01T00:00:00.2Z", "body"],
  ["an integer with a fraction", { type: "integer" }, 1.5, "body"],
];

describe("match", () => {
  test.each(MATCHING_VALUES)("accepts %s", (_, expected, actual) => {
    expect(match(expected, actual)).toMatchObject({ mismatches: [], empty: [] });
  });

  test.each(MISMATCHING_VALUES)("refuses %s and names the place", (_, expected, actual, at) => {
    expect(match(expected, actual).mismatches.map((mismatch) => mismatch.at)).toEqual([at]);
  });

  test("does not pass on an empty list", () => {
    expect(match({ data: { each: { status: "new" } } }, { data: [] })).toEqual({
      mismatches: [],
      empty: ["/data is an empty list"],
      items: 0,
    });
  });

  test("counts the compared items", () => {
    expect(match({ each: { type: "integer" }, unique: "" }, [1, 2, 3]).items).toBeGreaterThanOrEqual(3);
  });
});

test.each([
  [true, 1, "absent or null"],
  [false, null, "present and not null"],
  [false, undefined, "present and not null"],
])("absentOrNull: the mismatch for %s names the expectation for %s", (isWanted, actual, expected) => {
  expect(match({ a: { absentOrNull: isWanted } }, actual === undefined ? {} : { a: actual }).mismatches).toEqual([
    expect.objectContaining({ at: "/a", expected, actual: actual === undefined ? "absent" : String(actual) }),
  ]);
});
