import { expect, test } from "vitest";
import { draw } from "./sample.js";

const numbers = Array.from({ length: 60 }, (_, n) => n);

test("a sample has different items of the list, the same ones each time", () => {
  const some = draw(numbers, 7);
  expect(new Set(some).size).toBe(7);
  expect(numbers).toEqual(expect.arrayContaining(some));
  expect(draw(numbers, 7)).toEqual(some);
});

test("a sample has an item of every family before a second one of any", () => {
  const families = draw(numbers, 13, (n) => n % 10).map((n) => n % 10);
  expect(families.slice(0, 10).toSorted((a, b) => a - b)).toEqual(numbers.slice(0, 10));
});

test("a sample larger than the list has all items", () => {
  expect(draw(numbers, 100).toSorted((a, b) => a - b)).toEqual(numbers);
});
