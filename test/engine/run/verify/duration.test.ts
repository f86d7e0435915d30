import { afterEach, expect, test } from "vitest";
import { verify } from "../../../../src/engine/run/verify.js";
import { suite } from "../../../../src/suite/suite.js";
import { openWorkspace, type Workspace } from "../../../suite/cleanup/workspace.js";

const openWorkspaces: Workspace[] = [];
afterEach(async () => void (await Promise.all(openWorkspaces.splice(0).map((workspace) => workspace.close()))));

const BURSTS = [
  "proves: [BUCKET-REPO-LIST]",
  "steps:",
  "  - { burst: { rest: GET /api/repos, n: 61 }, expect: { first429: { gte: 1 } } }",
  `  - { burst: { rest: "GET /api/repos/{repo}/jobs", n: 121 }, expect: { first429: { gte: 1 } } }`,
  "  - { burst: { rest: GET /api/repos, n: 61, as: viewer }, expect: { first429: { gte: 1 } } }",
  "  - { burst: { rest: GET /api/repos, n: 61 }, expect: { first429: { gte: 1 } } }",
];

/** Examines a workspace whose time is real, and whose minute is so long. */
async function examined(rateMinuteSeconds: number) {
  const workspace = await openWorkspace((target) => {
    delete target.clock;
    Object.assign(target, { timing: { rate_minute_s: rateMinuteSeconds }, exclusive: true });
  });
  openWorkspaces.push(workspace);
  let minutes: number | undefined;
  const begun = performance.now();
  const { report, messages } = await verify(suite, {
    ...{ target: workspace.target, profile: "full", runs: 0, only: [workspace.scenario(...BURSTS)] },
    onEstimate(runEstimate) {
      minutes = runEstimate.minutes;
    },
  });
  if (!report) throw new Error(messages.join("\n"));
  return { report, minutes, seconds: (performance.now() - begun) / 1000 };
}

test("a run waits as long as planned: for possible earlier requests, and between its bursts of one limit and key", async () => {
  const { report, minutes = 0, seconds } = await examined(2);
  expect(report.checks.map(({ verdict }) => verdict)).toEqual(Array(4).fill("passed"));
  expect(minutes * 60).toBeCloseTo(4);
  // the bursts between take time, but the runner does not wait in it
  expect(report.waited_s).toBeLessThan(4.1);
  expect(seconds).toBeGreaterThan(3.9);
});
