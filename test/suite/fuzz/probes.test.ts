import { expect, test } from "vitest";
import { withEarlierState } from "../../../src/suite/fuzz/probes.js";

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
  expect(withEarlierState(setup, change)).toEqual(steps);
});
