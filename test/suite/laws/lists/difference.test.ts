import { describe, expect, test } from "vitest";
import { findDifference, findFirstRepeated } from "../../../../src/suite/laws/lists/difference.js";

describe("two readings of the same rows", () => {
  const cases: { name: string; whole: string[]; part: string[]; odd: ReturnType<typeof findDifference> }[] = [
    { name: "agree when both are empty", whole: [], part: [], odd: undefined },
    { name: "agree in another sequence", whole: ["a", "b", "c"], part: ["c", "a", "b"], odd: undefined },
    {
      name: "report the index of a missing row in the whole list",
      whole: ["a", "b", "c"],
      part: ["a", "c"],
      odd: { what: "missing", index: 1 },
    },
    {
      name: "report the index of the second occurrence of a repeated row",
      whole: ["a", "b"],
      part: ["a", "b", "a"],
      odd: { what: "repeated", index: 2 },
    },
    {
      name: "report a repeated row before a missing row",
      whole: ["a", "b"],
      part: ["a", "a"],
      odd: { what: "repeated", index: 1 },
    },
    { name: "report a row that the whole list lacks", whole: ["a"], part: ["a", "z"], odd: { what: "extra", index: 1 } },
  ];

  test.each(cases)("$name", ({ whole, part, odd: expected }) => {
    expect(findDifference(whole, part)).toEqual(expected);
  });

  test("have a first repeated key", () => {
    expect(findFirstRepeated(["a", "b", "b", "a"])).toBe(2);
    expect(findFirstRepeated(["a", "b"])).toBe(-1);
  });
});
