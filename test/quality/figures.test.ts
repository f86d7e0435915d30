import { expect, test } from "vitest";
import { compileSchema, readSpec } from "../../src/contract/load.js";
import { figuresNow, getFigures, inWords, type Published, shownFigures } from "./figures.js";
import { judgeSuite, type Quality } from "./matrix.js";
import { rateFor, runKinds } from "./run-kinds.js";
import { plain } from "./variants.js";

const counts = {
  ...{ mutants: 10_607, in_other_files: 7259, in_other_lines: 610, examined: 150 },
  ...{ killed: 99, timeout: 4, crash: 2, inconclusive: 5, survived: 38, unreached: 2 },
  ...{ equivalent: 8, open: 20, outside: 13, hole: 1, unexplained: 3 },
};
const operators: NonNullable<Quality["operators"]> = { counts, unexplained: [], stale: [], seconds: 1, seed: 4711, plan: "" };
const outcome = {
  ...{ name: plain, seconds: 1, scenarios: 1, requests: 1, passed: 1 },
  failed: [],
  inconclusive: [],
  alarms: [],
  unpassed: [],
};
const measuredQuality: Quality = {
  ...judgeSuite({
    ...{ plan: [], seconds: 1, chosen: [], all: [], tests: [], variants: [plain], constants: [] },
    conforming: { part: "whole", cases: 10, seed: 4711 },
    outcomes: new Map([[plain, outcome]]),
  }),
  operators,
};
const digest = "ab".repeat(32);
const published: Published = {
  measured: { clauses_digest: digest, scenarios_digest: digest, state_digest: digest, measures_digest: digest },
  figures: getFigures(
    measuredQuality,
    runKinds.map((kind) => rateFor(kind, [{ end: "right" }, { end: "timeout" }], { mutants_in_all: 9, seed: 4711, cases: 20 })),
  ),
};

test("the guide shows the current figures, or that they are not measured (to publish: npm run quality -- --publish)", () => {
  expect(shownFigures()).toBe(figuresNow());
});

test("the published figures match their schema", () => {
  const valid = compileSchema(readSpec("schema/quality.json") as object);
  valid(published);
  expect(valid.errors ?? []).toEqual([]);
});

test("the report schema of the figures equals the published schema", () => {
  const { properties } = readSpec("schema/report.json") as { properties: { suite: { properties: { quality: unknown } } } };
  const { figures } = (readSpec("schema/quality.json") as { properties: { figures: unknown } }).properties;
  expect(properties.suite.properties.quality).toEqual(figures);
});

test("the guide names every run kind, and the conditions of each figure", () => {
  const text = inWords(published);
  for (const { profile, hooks } of runKinds)
    expect(text).toContain(
      `- profile ${profile} ${hooks === "all-hooks" ? "with all hooks" : "without hooks"}, 20 cases per property`,
    );
  expect(text).toContain(
    "of 2 mutants (drawn from 9, seed 4711) 1 killed by a verdict, 1 by timeout, 0 by crash, 0 inconclusive",
  );
  expect(text).toContain("- 0 of 1 conforming servers flagged (the whole suite, 10 cases per property, seed 4711).");
});

test("operator mutants inside and outside the contract are separate figures, and so are verdicts, timeouts and crashes", () => {
  expect(published.figures.operators).toEqual({
    ...{ mutants: 10_607, in_other_files: 7259, in_other_lines: 610, drawn: 150, seed: 4711 },
    ...{ killed_by_verdict: 99, timeout: 4, crash: 2, inconclusive: 5, equivalent: 8, open: 20, outside: 13, unexplained: 4 },
  });
  const text = inWords(published);
  expect(text).toContain(
    "Of 10607 operator mutants 7259 lie in files that are no part of the contract, and 610 in functions and lines",
  );
  expect(text).toContain(
    "Of 150 of the other 2738 (seed 4711) 99 killed by a verdict, 4 by timeout, 2 by crash, 5 inconclusive;",
  );
  expect(text).not.toMatch(/7869|\b105\b/);
});
