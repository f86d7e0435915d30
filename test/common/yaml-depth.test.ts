import { expect, test } from "vitest";
import { Lexer } from "yaml";
import { findTooDeepLine } from "../../src/common/yaml-depth.js";

const getLine = (text: string) => findTooDeepLine(new Lexer().lex(text));
const indented = (levels: number) => Array.from({ length: levels }, (_, level) => `${" ".repeat(level)}a:\n`).join("");

test.each([
  ["lists in brackets", (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`, 1],
  ["maps in braces", (levels: number) => "{a: ".repeat(levels), 1],
  ["lists on one line", (levels: number) => `${"- ".repeat(levels)}x`, 1],
  ["complex keys", (levels: number) => `${"? ".repeat(levels)}x`, 1],
  ["indented maps", indented, 201],
])("finds too many levels of %s", (_, textOf, line) => {
  expect(getLine(textOf(200))).toBe(null);
  expect(getLine(textOf(201))).toBe(line);
  expect(getLine(textOf(5000))).toBe(line);
});

test.each([
  ["in quotes", `a: "${"[".repeat(999)}"\n`],
  ["in a block of text", `a: |\n  ${"[".repeat(999)}\n`],
  ["in a comment", `a: 1 # ${"[".repeat(999)}\n`],
  ["after one another", `a:\n${"  - [{b: don't}]\n".repeat(999)}`],
])("does not count brackets %s", (_, text) => {
  expect(getLine(text)).toBe(null);
});
