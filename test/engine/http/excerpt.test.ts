import { describe, expect, test } from "vitest";
import { excerptOf, truncateMiddle } from "../../../src/engine/http/excerpt.js";

const size = { lines: 20, items: 2 };
const rows = Array.from({ length: 30 }, (_, n) => ({ id: n, status: "open" }));

/** The lines that are marked, with what was expected there. */
const marked = (body: unknown, pointer: string, expected = "x") => {
  const { text, marks } = excerptOf(JSON.stringify(body), [{ pointer, expected }], size);
  return marks.map((mark) => [text.split("\n")[mark.line]?.trim(), mark.expected]);
};

describe("a body as it is shown", () => {
  test.each<[string, unknown, string, string, string]>([
    ["a field", { a: { b: 1, c: 2 } }, "/a/b", '"b": 1,', "x"],
    ["an item", { data: rows }, "/data/17/status", '"status": "open"', "x"],
    ["a field that is not there, where it would stand", { a: { c: 2 } }, "/a/b", '"a": {', "b (absent): x"],
    ["a row that is not there", { data: [] }, "/data/0/id", '"data": [', "0/id (absent): x"],
    ["the whole", [1], "", "[1]", "x"],
  ])("marks %s", (_, body, pointer, line, expected) => {
    expect(marked(body, pointer)).toEqual([[line, expected]]);
  });

  test("leaves out the middle of a long list, and says how much of it and of the whole", () => {
    const { text, whole } = excerptOf(JSON.stringify({ data: rows }), [{ pointer: "/data/17/id", expected: "x" }], size);
    expect(text).toContain("… 16 more …");
    expect(text).toContain("… 11 more …");
    expect(whole).toBe(JSON.stringify({ data: rows }).length);
  });

  test("keeps what is marked however many lines there are", () => {
    const body = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`field_${n}`, n]));
    expect(marked(body, "/field_200")).toEqual([['"field_200": 200,', "x"]]);
    expect(excerptOf(JSON.stringify(body), [], size).text.split("\n")).toHaveLength(size.lines + 1);
  });

  test("is as it came where it is short, and cut in the middle where it is no JSON", () => {
    expect(excerptOf("plain\nwords", [], size)).toEqual({ text: "plain\nwords", marks: [] });
    expect(truncateMiddle("a".repeat(50) + "b".repeat(50), 20)).toBe(`${"a".repeat(15)} … 80 characters … ${"b".repeat(5)}`);
  });
});
