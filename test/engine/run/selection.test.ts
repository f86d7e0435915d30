import { join } from "node:path";
import { expect, test } from "vitest";
import { selectScenarios } from "../../../src/engine/run/selection.js";
import { suite } from "../../../src/suite/suite.js";

const file = join(suite.scenarios, "8-limits", "page-size.yaml");

/** The names of the selected scenarios, or the mistakes. */
function getNames(options: Parameters<typeof selectScenarios>[1]): readonly string[] {
  const selectionResult = selectScenarios(suite, options);
  return selectionResult.ok ? selectionResult.scenarios.map(({ name }) => name) : selectionResult.mistakes;
}

test("scenarios that are named as files are distributed over shards", () => {
  const whole = getNames({ only: [file, "2-fields/*"] });
  const shards = [1, 2, 3].map((index) => getNames({ only: [file, "2-fields/*"], shard: { index, of: 3 } }));
  expect(shards.flat().toSorted()).toEqual(whole.toSorted());
  expect(Math.max(...shards.map(({ length }) => length)) - Math.min(...shards.map(({ length }) => length))).toBeLessThan(2);
});

test("a scenario that a file and a pattern name is selected once", () => {
  const once = getNames({ only: [file] });
  expect(once.length).toBeGreaterThan(0);
  expect(getNames({ only: [file, "page-limit", "page-lists"] })).toEqual(once);
});
