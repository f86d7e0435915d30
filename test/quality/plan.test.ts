import { expect, test } from "vitest";
import { scenarioCatalogue } from "../../src/suite/suite.js";
import type { Examination } from "./examine.js";
import { mutants } from "./mutants.js";
import { makePlan } from "./plan.js";
import { measured } from "./variants.js";

const rows = scenarioCatalogue();
const planned = (wish: { publish?: true }) => makePlan(mutants, rows, { seed: 4711, workers: 2, ...wish });
const serversOf = (plan: ReturnType<typeof makePlan>) =>
  plan.tasks.filter((task): task is Examination => task.kind === "variant");

test("for the published figure every conforming server meets the whole suite with 10 cases and the drawn seed", () => {
  const plan = planned({ publish: true });
  const servers = serversOf(plan);
  expect(servers.map(({ name }) => name)).toEqual(measured);
  for (const task of servers) expect(task).toEqual({ kind: "variant", name: task.name, only: [], seeds: [4711], cases: 10 });
  expect(plan.conforming).toEqual({ part: "whole", cases: 10, seed: 4711 });
  expect(plan.words.join()).toContain(`${measured.length} conforming servers, each with the whole suite and 10 cases`);
});

test("the smaller measure says that it is smaller", () => {
  const plan = planned({});
  expect(serversOf(plan).some(({ shard }) => shard?.of === 4)).toBe(true);
  expect(plan.conforming).toEqual({ part: "quarter", cases: 3, seed: 4711 });
  expect(plan.words.join()).toContain("a quarter of it and 3 cases a property");
});

test("every mutant is examined with the drawn seed", () => {
  for (const task of planned({}).tasks) if (task.kind === "mutant") expect(task.seeds).toEqual([4711]);
});
