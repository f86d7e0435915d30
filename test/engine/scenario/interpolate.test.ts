import { expect, it } from "vitest";
import { match } from "../../../src/engine/execute/expect/match.js";
import { interpolate, interpolateExpected, percentDecode, percentEncode } from "../../../src/engine/scenario/interpolate.js";

const ID = "jo:1a+=b~c'(d)[e]{2}.$^|\\/*?";
const values: Record<string, unknown> = { id: ID, pattern: "[0-9]+" };
const look = (name: string) => values[name];

it("takes every sign of a server's value literally inside a pattern, at any depth", () => {
  const expected = interpolateExpected({ in: [{ not: { matches: "." } }, { matches: "^{id}(?![0-9])" }] }, look);
  expect(match(expected, `${ID} and more`).mismatches).toEqual([]);
  expect(match(expected, `${ID}1`).mismatches).not.toEqual([]);
  expect(match(expected, ID.replace(".", "x")).mismatches).not.toEqual([]);
});

it("inserts a variable named pattern as a pattern", () => {
  const expected = interpolateExpected({ matches: "^{pattern}$" }, look);
  expect(match(expected, "123").mismatches).toEqual([]);
  expect(match(expected, "[0-9]+").mismatches).not.toEqual([]);
});

it("leaves a value as it is outside a pattern", () => {
  expect(interpolateExpected({ contains: "-{id}", status: "{id}" }, look)).toEqual({ contains: `-${ID}`, status: ID });
  expect(interpolate({ matches: "-{id}" }, look)).toEqual({ matches: `-${ID}` });
});

it("converts each text of a server to a part of a URL and back, without an error", () => {
  expect(percentEncode("a\ud800/b")).toBe("a%EF%BF%BD%2Fb");
  for (const text of ["%", "%zz", "%C3", "%ED%A0%80"]) expect(percentDecode(text)).toBe(text);
  expect(percentDecode("a%2Fb")).toBe("a/b");
});
