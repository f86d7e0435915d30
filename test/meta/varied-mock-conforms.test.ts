import { afterAll, expect, test } from "vitest";
import { contract } from "../../src/contract/load.js";
import type { VariationName } from "../../src/contract/types.js";
import { verify } from "../../src/engine/run/verify.js";
import { type Mock, startMock } from "../../src/mock/server.js";
import type { VariationsOption } from "../../src/mock/variations/setting.js";
import { suite } from "../../src/suite/suite.js";
import { exhaustive, sampled } from "./sample.js";

const names = Object.keys(contract.legalVariations.variations) as VariationName[];

/**
 * Scenarios that meet answers of every kind: lists and cursors, submissions and triage, refusals, keys, tools. Each run draws two of
 * the eight groups for one variation, and two for all variations at once: about 80 commits try each group with each variation.
 */
const some = [
  "error-fallback",
  "cursor-*",
  "job-cancel*",
  "observation-dismiss*",
  "key-patch*",
  "mcp-scope-*",
  "repository-register*",
  "bucket-refusal-*",
];
const seeds = [1, 2];

/** One mock for all: each examination is varied through the worlds that it founds. */
const mocks: Mock[] = [];
afterAll(async () => {
  for (const mock of mocks) await mock.close();
});

test.each(sampled(names, 1))("the suite finds nothing in a mock with the variation %s", async (name) => {
  expect(await findings([name], sampled(some, 2))).toEqual([]);
});

test.each(sampled(seeds, 1))("the suite finds nothing in a mock with all variations, seed %i", async (seed) => {
  expect(await findings(seed, exhaustive ? [] : sampled(some, 2))).toEqual([]);
});

/** Returns the findings of the suite in a mock with variations. */
async function findings(variations: VariationsOption, only: readonly string[]): Promise<unknown[]> {
  const mock = await startMock({ clock: "frozen", variations });
  mocks.push(mock);
  const { report, messages } = await verify(suite, { url: mock.api_url, seed: 1, runs: exhaustive ? 1 : 0, only });
  if (!report) throw new Error(messages.join("\n"));
  const bad = [...report.checks, ...report.properties].filter(
    ({ verdict }) => verdict === "failed" || verdict === "harness-error",
  );
  expect(report.counts.passed).toBeGreaterThan(only.length === 0 ? 300 : 1);
  return bad;
}
