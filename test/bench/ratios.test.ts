import { expect, it } from "vitest";
import { atLeast, atMost, figure, figureWithin, ours } from "./figures.js";
import { compareRatios, type KeptRatios, readRatios } from "./ratios.js";

const keptRatios: KeptRatios = {
  commit: "1234567",
  ratios: {
    "load: GET, requests a second / raw": { value: 0.5, better: "higher" },
    "load: GET, p99 ms / raw": { value: 4, better: "lower" },
    "pages: a page, ms / raw": { value: 2, better: "lower" },
  },
};

function run(rate: number, p99: number) {
  const figures = [
    atLeast(figure("GET", "requests a second", { [ours]: rate, raw: 100 }), 0.65, "raw"),
    atMost(figure("GET", "p99 ms", { [ours]: p99, raw: 1 }), 3, "raw"),
    figureWithin(figure("start", "ms", { [ours]: 500 }), 1),
  ];
  return [{ section: { name: "load" }, figures }];
}

it("names each ratio that is more than 10 % worse, in both directions", () => {
  expect(compareRatios(keptRatios, run(44, 4.5)).worse).toEqual([
    "load: GET, requests a second / raw: 0.50 at 1234567, now 0.44, 12 % worse",
    "load: GET, p99 ms / raw: 4.00 at 1234567, now 4.50, 13 % worse",
  ]);
});

it("omits ratios that are better or at most 10 % worse, and those of sections that were not measured", () => {
  const { lines, worse } = compareRatios(keptRatios, run(46, 2));
  expect(worse).toEqual([]);
  expect(lines).toEqual([
    "load: GET, requests a second / raw: 0.50 at 1234567, now 0.46, 8 % worse",
    "load: GET, p99 ms / raw: 4.00 at 1234567, now 2.00, 50 % better",
  ]);
});

it("compares with the ratios of the last published run", () => {
  const { commit, ratios } = readRatios();
  expect(commit).toMatch(/^[0-9a-f]{7,40}$/);
  expect(Object.keys(ratios)).toContain("throughput: GET one observation, requests a second / raw, same bytes");
});
