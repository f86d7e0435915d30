import { afterEach, expect, test } from "vitest";
import { cover, isActive, isEndless, recordReached, switchOn } from "./switch.js";

afterEach(() => {
  switchOn([]);
  recordReached(undefined);
});

test("only the last switched mutant is active", () => {
  switchOn(["1"]);
  switchOn(["2", "3"]);
  expect(["1", "2", "3"].map(isActive)).toEqual([false, true, true]);
});

test("reached mutants are recorded on request", () => {
  const reached = new Set<string>();
  recordReached(reached);
  cover("1", "2");
  recordReached(undefined);
  cover("3");
  expect([...reached]).toEqual(["1", "2"]);
});

test("a mutant with an endless loop is stopped, and recorded until the next mutant", () => {
  switchOn(["1"]);
  expect(() => {
    while (isActive("1"));
  }).toThrow("without end");
  expect(isEndless()).toBe(true);
  switchOn(["2"]);
  expect(isEndless()).toBe(false);
});
