import { expect, test } from "vitest";
import { match } from "../../../../src/engine/execute/expect/match.js";
import { sampled } from "../../../meta/sample.js";

const text = `${"a".repeat(40)}!`;

/** Patterns that backtrack. Each costs a second of processor time. */
const slow = ["^(a+)+$", "^(a|a)*$", "^(\\w*)*$", "^(a{1,9}){1,99}$"];

test.each(sampled(slow, 1))("the slow pattern %s ends with an error that names it", (matches) => {
  const began = performance.now();
  expect(() => match({ matches }, text)).toThrow(`matches: "${matches}" takes over 1000 ms for a text of 41 characters.`);
  expect(performance.now() - began).toBeLessThan(3000);
});

test("other patterns match as before", () => {
  expect(match({ matches: "^a+!$" }, text).mismatches).toEqual([]);
  expect(match({ matches: "^b" }, text).mismatches).toHaveLength(1);
  expect(match({ matches: "^b+$" }, text).mismatches).toHaveLength(1);
});
