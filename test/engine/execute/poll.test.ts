import { expect, test } from "vitest";
import { execution, removeDirectories, scenario } from "../run/execution.js";
import type { Handler } from "../server.js";

removeDirectories();

const STEPS = `  - { rest: GET /api/jobs/j1 }
  - { rest: POST /api/jobs/j1/cancel }
  - { id: check, rest: GET /api/jobs/j1, until: { within: 2s, every: 1s }, expect: { json: { status: cancelled } } }
`;

test.each([
  ["at the first request", 1, ["effect of POST /api/jobs/{job_id}/cancel"]],
  ["after a pause", 2, []],
])("a change that a poll sees %s: shown effects of the write before", async (_, last, effects) => {
  let reads = 0;
  const handler: Handler = ({ method }, response) => {
    if (method === "GET") reads++;
    response(200, method === "GET" ? { id: "j1", status: reads > last ? "cancelled" : "running" } : {});
  };
  const { report } = await execution(handler, scenario(STEPS), { maxWait: 5 });
  expect(report.checks.at(-1)).toMatchObject({ step: "check", verdict: "passed" });
  expect(report.scenarios[0]?.served?.filter((name) => name.includes("effect"))).toEqual(effects);
});
