import { expect, test } from "vitest";
import { draw, drawEvenly } from "./draw.js";

const all = ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "c1"];
const getFamily = (one: string) => one.slice(0, 1);

test("each family gets a first draw before any gets a second", () => {
  expect(new Set(drawEvenly(all, 3, 7, getFamily).map(getFamily))).toEqual(new Set(["a", "b", "c"]));
  expect(drawEvenly(all, 4, 7, getFamily).filter((one) => getFamily(one) === "a")).toHaveLength(2);
});

test("no family is left out", () => expect(drawEvenly(all, 1, 7, getFamily)).toHaveLength(3));

test("the same seed draws the same, and another seed draws others", () => {
  expect(drawEvenly(all, 5, 7, getFamily)).toEqual(drawEvenly(all, 5, 7, getFamily));
  expect(draw(all, 5, 7)).not.toEqual(draw(all, 5, 8));
});
