import { describe, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { findFirstFault, yamlOptions } from "../../src/common/yaml-fault.js";

const faultIn = (text: string) => findFirstFault(parseDocument(text, yamlOptions));
const duplicate = (offset: number) => ({ offset, message: "Map keys must be unique" });

describe("the first fault of a YAML document", () => {
  test.each([
    ["in a block map", "a: 1\na: 2\n", 5],
    ["in a map in braces", "{ a: 1, a: 2 }", 8],
    ["in a list", "- b: 1\n- a: 1\n  b: 2\n  a: 3\n", 23],
    ["below another key", "a: { b: { c: 1, c: 2 } }", 16],
    ["in a complex key", "? { a: 1, a: 2 }\n: 3", 10],
    ["as a number and a text", '1: a\n"1": b\n', 5],
    ["as null and an empty text", 'null: a\n"": b\n', 8],
    ["as an alias", "&name a: 1\n*name : 2\n", 11],
    ["twice without a value", "a:\na:\n", 3],
    ["__proto__", "__proto__: 1\n__proto__: 2\n", 13],
  ])("is a duplicate key, %s", (_, text, offset) => {
    expect(faultIn(text)).toEqual(duplicate(offset));
  });

  test.each([
    ["an unknown tag of a text", "a: !foo x\n", 3],
    ["an unknown tag of a map", "b: 1\na: !foo { b: 1 }\n", 8],
    ["an unknown tag of the document", "--- !foo\na: 1\n", 4],
    ["an unknown tag of a key", "!foo a: 1\n", 0],
    ["a tag with a prefix", "%TAG ! tag:x,2000:\n---\na: !q 1\n", 26],
    ["a tag whose value JSON cannot carry", "a: !!binary aGk=\n", 3],
    ["a tag that does not match its value", "a: !!int x\n", 3],
  ])("is %s", (_, text, offset) => {
    expect(faultIn(text)).toEqual({
      offset,
      message: expect.stringMatching(/^a tag that is unknown .* use one of !!str, !!int/),
    });
  });

  test.each([
    "a: !!str 1\nb: !!map {}\nc: !!seq []\nd: !!int 1\ne: !!float 1.5\nf: !!bool true\ng: !!null null\nh: ! 1\n",
    "a: 1\nA: 2\n",
    "- a\n- a\n",
    "a: { a: { a: 1 } }\nb: { a: 1 }\n",
    "a: &x { b: 1 }\nc: *x\nd: *x\n",
    "",
    "constructor: 1\n",
    "&a b: 1\na: 2\n",
  ])("does not exist in %j", (text) => expect(faultIn(text)).toBeUndefined());

  test("is the first alias after 1,000", () => {
    const text = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: &a${at} 1\nr${at}: *a${at}\n`).join("");
    expect(faultIn(text(1000))).toBeUndefined();
    expect(faultIn(text(2_000))).toEqual({ offset: text(1001).length - 7, message: "more than 1,000 aliases" });
  });

  test("is the first error of the parser, without the text that it quotes", () => {
    expect(faultIn('a: 1\na: "secret\n')).toEqual({ offset: 16, message: expect.not.stringContaining("secret") });
  });

  test.each([
    ["a block map", (keys: string[]) => keys.map((key) => `${key}: 1\n`).join("")],
    ["a map in braces", (keys: string[]) => `{${keys.map((key) => `${key}: 1`).join(", ")}}`],
  ])("is found in %s of 20,000 keys in less than 25 times the time for 2,500", (_, write) => {
    const getTime = (count: number) => {
      const text = write(Array.from({ length: count }, (_, at) => `k${at}`));
      const begun = process.cpuUsage();
      expect(faultIn(text)).toBeUndefined();
      return process.cpuUsage(begun).user;
    };
    const few = getTime(2_500);
    expect(getTime(20_000) / few).toBeLessThan(25);
  });
});
