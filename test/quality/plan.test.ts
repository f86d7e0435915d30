import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { selectProperties, selectScenarios } from "../../src/engine/run/selection.js";
import { readScenarioCatalogue, suite } from "../../src/suite/suite.js";
import type { Examination } from "./examine.js";
import { mutants } from "./mutants.js";
import { makePlan } from "./plan.js";
import { getVariant, measured, mocks, permissiveServers, plain } from "./variants.js";

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
  expect(plan.words.join()).toContain("13 mocks that differ in one switch with half of the suite, drawn with the seed");
  expect(plan.words.join()).toContain("a quarter of it and 3 cases a property");
});

test("each scenario and each property meets the default mock, and six mocks with another switch", async () => {
  const tasks = getServers(planned({})).filter(({ name }) => name in mocks);
  expect(tasks).toHaveLength(Object.keys(mocks).length);
  expect(tasks[0]).toEqual({ kind: "variant", name: plain, only: [], seeds: [4711] });
  const meetings = new Map<string, number>();
  for (const index of [1, 2]) {
    const options = { shard: { index, of: 2 } };
    const selection = selectScenarios(suite, options);
    if (!selection.ok) throw new Error(selection.mistakes.join());
    const properties = await selectProperties(suite, options);
    const count = tasks.slice(1).filter((task) => isDeepStrictEqual(task.shard, options.shard)).length;
    for (const name of [...selection.scenarios.map((scenario) => scenario.name), ...properties.map(({ id }) => id)])
      meetings.set(name, count);
  }
  const all = [...rows.map(({ name }) => name), ...(await suite.properties()).map(({ id }) => id)];
  expect([...meetings.keys()].toSorted()).toEqual(all.toSorted());
  expect(Math.min(...meetings.values())).toBe(6);
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
