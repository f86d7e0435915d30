import { afterEach, expect, test } from "vitest";
import { cover, isActive, noteReached, switchOn, wentRound } from "./switch.js";

afterEach(() => {
  switchOn([]);
  noteReached(undefined);
});

test("only the last switched mutant is active", () => {
  switchOn(["1"]);
  switchOn(["2", "3"]);
  expect(["1", "2", "3"].map(isActive)).toEqual([false, true, true]);
});

test("reached mutants are recorded on request", () => {
  const reached = new Set<string>();
  noteReached(reached);
  cover("1", "2");
  noteReached(undefined);
  cover("3");
  expect([...reached]).toEqual(["1", "2"]);
});

test("a mutant with an endless loop is stopped, and recorded until the next mutant", () => {
  switchOn(["1"]);
  expect(() => {
    while (isActive("1"));
  }).toThrow("without end");
  expect(wentRound()).toBe(true);
  switchOn(["2"]);
  expect(wentRound()).toBe(false);
});
