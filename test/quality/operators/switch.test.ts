import { afterEach, expect, test } from "vitest";
import { cover, isActive, noteReached, switchOn, wentRound } from "./switch.js";

afterEach(() => {
  switchOn([]);
  noteReached(undefined);
});

test("only what was switched on last is on", () => {
  switchOn(["1"]);
  switchOn(["2", "3"]);
  expect(["1", "2", "3"].map(isActive)).toEqual([false, true, true]);
});

test("what is reached is noted while somebody asks", () => {
  const reached = new Set<string>();
  noteReached(reached);
  cover("1", "2");
  noteReached(undefined);
  cover("3");
  expect([...reached]).toEqual(["1", "2"]);
});

test("a mutant that goes round without end is stopped, and that is remembered until the next", () => {
  switchOn(["1"]);
  expect(() => {
    while (isActive("1"));
  }).toThrow("without end");
  expect(wentRound()).toBe(true);
  switchOn(["2"]);
  expect(wentRound()).toBe(false);
});
