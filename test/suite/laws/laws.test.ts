import { describe, expect, test } from "vitest";
import { findUnprovable } from "../../../src/engine/scenario/lint.js";
import { laws } from "../../../src/suite/laws/laws.js";
import { races } from "../../../src/suite/races/races.js";
import { suite } from "../../../src/suite/suite.js";
import { sampled } from "../../meta/sample.js";
import { getKey, getObservation, getRoute, type WrapCall, withTemporaryFields } from "../../mutants/mutant.js";
import { openMutant } from "../../mutants/open.js";
import { variants } from "../../quality/variants.js";
import { tryOn } from "./try.js";

const all = [...laws, ...races];

const servers = [
  "the mock as it comes",
  "the mock with token buckets",
  "the reference server, wordy",
  "the reference server, terse",
];

/** Races that a server leaves unjudged, because it refuses an action in the wrong state with 403. The scopes may cause such a refusal. */
const unjudged: Readonly<Record<string, readonly string[]>> = {
  "the reference server, wordy": ["race-triage", "race-cancel-retry"],
};

describe.each(sampled(servers, 1))("%s", (name) => {
  test.each(sampled(all, 7))("keeps $id", async (law) => {
    const { options, close } = await (variants.get(name) ?? expect.fail(`no server is called ${name}`))();
    const { line, scenario: scenarioResult } = await tryOn(options, law, 1, Math.min(law.runs, 6)).finally(close);
    if (unjudged[name]?.includes(law.id)) return void expect(["passed", "inconclusive"]).toContain(line.verdict);
    expect(line).toMatchObject({ verdict: "passed" });
    expect(line.runs).toBeGreaterThan(line.inconclusive);
    expect(scenarioResult.checks[0]?.subjects).toBeGreaterThan(0);
  });
});

test.each(all)("$id names clauses that can pass, and has a unique name", ({ id, proves, title }) => {
  expect(proves.map((clause) => findUnprovable(clause, suite.clauses)).filter((why) => why !== undefined)).toEqual([]);
  expect(all.filter((otherProperty) => otherProperty.id === id)).toHaveLength(1);
  expect(title.length).toBeGreaterThan(10);
});

/** Makes a plan full with the three repositories of the world. */
const withFullPlan: (around: WrapCall) => WrapCall = (around) => (world, call, perform) =>
  withTemporaryFields(world.workspaces[getKey(world, call)?.workspace ?? ""], { repo_cap: 3 }, () =>
    around(world, call, perform),
  );
const unchanged: WrapCall = (world, call, perform) => perform(world, call);
const acknowledging: WrapCall = (world, call, perform) => {
  const response = perform(world, call);
  const dismissed = getRoute(call) === "POST /api/observations/{ref}/dismiss" ? getObservation(world, call) : undefined;
  if (dismissed && response.status === 200) dismissed.acknowledged_at = world.now;
  return response;
};

test.each([
  ["frame", unchanged, "passed"],
  ["frame", acknowledging, "failed"],
  ["workspace-isolation", unchanged, "passed"],
])("%s makes room for its repository on a server whose plan has none: %#", async (id, around, verdict) => {
  const law = laws.find((one) => one.id === id) ?? expect.fail(`no law is called ${id}`);
  const { url, close } = await openMutant({ around: withFullPlan(around) });
  const { line } = await tryOn({ url }, law, 1, 3).finally(close);
  expect(line).toMatchObject({ verdict, inconclusive: 0 });
});
