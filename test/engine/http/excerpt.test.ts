import { describe, expect, test } from "vitest";
import { createExcerpt, truncateMiddle } from "../../../src/engine/http/excerpt.js";

const size = { lines: 20, items: 2 };
const rows = Array.from({ length: 30 }, (_, n) => ({ id: n, status: "open" }));

/** Returns the marked lines with the expected values. */
const marked = (body: unknown, pointer: string, expected = "x") => {
  const { text, marks } = createExcerpt(JSON.stringify(body), [{ pointer, expected }], size);
  return marks.map((mark) => [text.split("\n")[mark.line]?.trim(), mark.expected]);
};

describe("an excerpt", () => {
  test.each<[string, unknown, string, string, string]>([
    ["a field", { a: { b: 1, c: 2 } }, "/a/b", '"b": 1,', "x"],
    ["an item", { data: rows }, "/data/17/status", '"status": "open"', "x"],
    ["the parent of a missing field", { a: { c: 2 } }, "/a/b", '"a": {', "b (absent): x"],
    ["the list of a missing row", { data: [] }, "/data/0/id", '"data": [', "0/id (absent): x"],
    ["the whole body", [1], "", "[1]", "x"],
  ])("marks %s", (_, body, pointer, line, expected) => {
    expect(marked(body, pointer)).toEqual([[line, expected]]);
  });

  test("leaves out the middle of a long list, and states the number of items and the length of the body", () => {
    const { text, whole } = createExcerpt(JSON.stringify({ data: rows }), [{ pointer: "/data/17/id", expected: "x" }], size);
    expect(text).toContain("… 16 more …");
    expect(text).toContain("… 11 more …");
    expect(whole).toBe(JSON.stringify({ data: rows }).length);
  });

  test("keeps marked lines of a long body", () => {
    const body = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`field_${n}`, n]));
    expect(marked(body, "/field_200")).toEqual([['"field_200": 200,', "x"]]);
    expect(createExcerpt(JSON.stringify(body), [], size).text.split("\n")).toHaveLength(size.lines + 1);
  });

  test("shows a short body unchanged, and cuts the middle of a long text", () => {
    expect(createExcerpt("plain\nwords", [], size)).toEqual({ text: "plain\nwords", marks: [] });
    expect(truncateMiddle("a".repeat(50) + "b".repeat(50), 20)).toBe(`${"a".repeat(15)} … 80 characters … ${"b".repeat(5)}`);
  });
});
