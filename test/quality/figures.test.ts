import { expect, test } from "vitest";
import { readSpec } from "../../src/contract/load.js";
import { inWords, type Published, shownFigures, suiteNow } from "./figures.js";

const { measured, figures } = readSpec("quality.json") as Published;

test("the figures were measured on the suite as it is (if not: npm run quality -- --publish)", () => {
  expect(measured).toMatchObject(suiteNow());
});

test("the README shows the figures that were measured", () => {
  expect(shownFigures()).toBe(inWords(figures));
});
