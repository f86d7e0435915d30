import { expect, test } from "vitest";
import { mistakeIn, withSeed } from "./options.js";

test("a publication draws a new seed each time, also in CI", () => {
  const drawn = Array.from({ length: 20 }, () => withSeed({ workers: 2, publish: true }, true).seed);
  expect(new Set(drawn).size).toBeGreaterThan(15);
});

test("without a publication CI uses seed 1, and other runs a new seed", () => {
  expect(withSeed({ workers: 2 }, true).seed).toBe(1);
  expect(withSeed({ workers: 2 }, false).seed).not.toBe(withSeed({ workers: 2 }, false).seed);
  expect(withSeed({ workers: 2, seed: 5 }, false).seed).toBe(5);
});

test.each([
  { only: "*" },
  { legal: "*" },
  { sample: 3 },
  { seed: 1 },
  { seeds: 2 },
  { operatorsAlone: true },
  { operators: "none" },
] as const)("a publication refuses %o", (options) => {
  expect(mistakeIn({ ...options, publish: true })).toContain("a publication draws a new seed and measures every family");
  expect(mistakeIn(options)).toBeUndefined();
});

test("a publication needs no other option", () => expect(mistakeIn({ publish: true, workers: 2 })).toBeUndefined());
