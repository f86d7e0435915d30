import { expect, test } from "vitest";
import { readScenarioCatalogue } from "../../src/suite/suite.js";
import type { Examination } from "./examine.js";
import { mutants } from "./mutants.js";
import { makePlan } from "./plan.js";
import { getVariant, measured, permissiveServers } from "./variants.js";

const rows = readScenarioCatalogue();
const planned = (options: { publish?: true }) => makePlan(mutants, rows, { seed: 4711, workers: 2, ...options });
const getServers = (plan: ReturnType<typeof makePlan>) =>
  plan.tasks.filter((task): task is Examination => task.kind === "variant");

test("the published figure examines every conforming server with the whole suite, 10 cases and the drawn seed", () => {
  const plan = planned({ publish: true });
  const servers = getServers(plan);
  expect(servers.map(({ name }) => name)).toEqual([...measured, ...permissiveServers(4711, true)]);
  for (const task of servers) expect(task).toEqual({ kind: "variant", name: task.name, only: [], seeds: [4711], cases: 10 });
  expect(plan.conforming).toEqual({ part: "whole", cases: 10, seed: 4711 });
  expect(plan.words.join()).toContain(`${measured.length + 10} conforming servers, each with the whole suite and 10 cases`);
});

test("the smaller measure states its size", () => {
  const plan = planned({});
  expect(getServers(plan).some(({ shard }) => shard?.of === 4)).toBe(true);
  expect(plan.conforming).toEqual({ part: "quarter", cases: 3, seed: 4711 });
  expect(plan.words.join()).toContain("a quarter of it and 3 cases a property");
});

test("each measure draws new permissive servers for the whole suite, and names their seeds", () => {
  const plan = planned({});
  const examinations = getServers(plan).filter(({ name }) => name.startsWith("a permissive server"));
  expect(examinations).toEqual(
    [4711, 4712].map((seed) => expect.objectContaining({ name: `a permissive server, seed ${seed}`, only: [] })),
  );
  for (const { name, shard } of examinations) {
    expect(shard).toBeUndefined();
    expect(getVariant(name)).toBeDefined();
    expect(plan.words.join()).toContain(name);
  }
});

test("every mutant is examined with the drawn seed", () => {
  for (const task of planned({}).tasks) if (task.kind === "mutant") expect(task.seeds).toEqual([4711]);
});
