import { expect, test } from "vitest";
import { expectEarlierState, isSameValue } from "../../../src/suite/fuzz/probes.js";

const list = { rest: "GET /api/jobs", save: { job: "/data/0/id" } };
const read = { rest: "GET /api/jobs/{job}" };
const change = { step: { ...read, expect: { status: 200 } }, why: "it is another" };
const held = { ...read, given: { status: 200 } };

test.each([
  ["where it was read", [list, read, { rest: "GET /api/repos" }], [list, held, { rest: "GET /api/repos" }]],
  ["the last time that it was read", [read, list, read], [read, list, held]],
  [
    "at the end, where it was not read so",
    [list, { ...read, given: { status: 404 } }],
    [list, { ...read, given: { status: 404 } }, held],
  ],
])("what has changed must have been so before: %s", (_, setup, steps) => {
  expect(expectEarlierState(setup, change)).toEqual(steps);
});

test("two forms of one moment are the same value, and two moments are not", () => {
  expect(isSameValue("2026-01-05T09:00:00Z", "2026-01-05T10:00:00.000+01:00")).toBe(true);
  expect(isSameValue("2026-01-05T09:00:00Z", "2026-01-05T10:00:00Z")).toBe(false);
  expect(isSameValue(null, "2026-01-05T09:00:00Z")).toBe(false);
});
