import { expect, test } from "vitest";
import { listChanges, listReplacingEvents } from "../../../src/engine/pacing/changes.js";
import { selectScenarios } from "../../../src/engine/run/selection.js";
import { suite } from "../../../src/suite/suite.js";

const selectionResult = selectScenarios(suite, {});
const withEvent = (selectionResult.ok ? selectionResult.scenarios : []).find(
  ({ effects, steps }) => effects.every((effect) => effect === "read") && steps.some((step) => step.otherwise),
);
const find = { find: { http: "POST /ops/find" } };

test.each([
  ["anything if the target offers the event", "full", find, "anything"],
  ["nothing in a read-only run", "read-only", find, new Set()],
  ["nothing if the target does not offer the event", "full", {}, new Set()],
] as const)("a scenario that reads, with an event that may replace a setup step, changes %s", (_, profile, drive, changes) => {
  const events = listReplacingEvents({ profile, target: { drive } });
  expect(listChanges(withEvent ?? expect.fail("no scenario has one"), suite.requests, events)).toEqual(changes);
});
