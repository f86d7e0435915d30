import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../../../src/contract/load.js";
import type { Report } from "../../../../src/engine/report/report.js";
import { type VerifyOptions, verify } from "../../../../src/engine/run/verify.js";
import { parseGlob } from "../../../../src/engine/scenario/select.js";
import { suite } from "../../../../src/suite/suite.js";
import { exhaustive, sampled } from "../../../meta/sample.js";
import { OPS_TOKEN, startReference } from "../../../reference/server.js";
import { sharedChoices } from "../../../reference/variants.js";
import { openWorkspace } from "../../../suite/cleanup/workspace.js";

const filesIn = (folder: string, namedPattern = /./) =>
  readdirSync(join(packageRoot, "scenarios", folder)).flatMap((file) => (namedPattern.test(file) ? [`${folder}/${file}`] : []));

/**
 * Everything that two runs share: jobs, observations, fixes and keys in all their states, the one repository to register, buckets, lists. Each
 * run of the tests draws 6 of these 42 groups: about 30 commits try all.
 */
const SHARED = [
  ...filesIn("3-states"),
  "dedupe*",
  "4-jobs/idempotency*",
  ...["create", "limit", "patch-set"].map((name) => `key-${name}`),
  ...filesIn("4-repositories"),
  ...["order*", "publish*"].map((name) => `observation-${name}`),
  ...["fix", "job-start", "register", "reset", "triage-combined"].map((name) => `bucket-${name}`),
  "8-limits/cursor*",
  ...filesIn("mcp", /^tool/),
];
/** Scenarios that most easily fail on a server with other timing, names and buckets. */
const CONCURRENT_SCENARIOS = ["job-cancel*", "observation-dismiss*", "observation-publish*", "bucket-fix", "bucket-register"];

/** Side effects that no conforming server can undo. */
const PERMANENT_CHANGES = ["observation acknowledged", "ticket published"];

/** Runs the suite twice at the same time. */
async function runSideBySide(options: VerifyOptions): Promise<Report[]> {
  const { only = [] } = options;
  const results = await Promise.all(
    [1, 2].map((seed) => verify(suite, { ...options, only: exhaustive ? [] : only, seed, runs: 0 })),
  );
  return results.map(({ report, messages }) => {
    if (!report) throw new Error(messages.join("\n"));
    expect(
      only.filter((pattern) => !report.scenarios.some(({ file, scenario }) => [file, scenario].some(parseGlob(`*${pattern}*`)))),
    ).toEqual([]);
    return report;
  });
}

const getFailures = (reports: readonly Report[]) =>
  reports.flatMap(({ checks, scenarios }) => [
    ...checks.flatMap(({ verdict, id, expected, actual }) =>
      verdict === "failed" ? [`${id}: expected ${expected}, got ${actual}`] : [],
    ),
    ...scenarios.flatMap(({ verdict, scenario, reason }) => (verdict === "harness-error" ? [`${scenario}: ${reason}`] : [])),
  ]);

const leftBy = (reports: readonly Report[]) =>
  reports
    .flatMap(({ leftovers = [] }) => leftovers)
    .flatMap((leftover) => (PERMANENT_CHANGES.includes(leftover.what) ? [] : [leftover]));

/** Most clauses are judged all the same, though fewer where much of a sample is of limits, which two runs by one key reach early. */
const MIN_RATIO = exhaustive ? 0.9 : 0.6;
const passed = ({ counts }: Report) => (counts.passed ?? 0) / ((counts.passed ?? 0) + (counts.inconclusive ?? 0));

describe("two runs against one workspace at the same time", { timeout: 300_000 }, () => {
  test("find nothing in the mock, judge nearly all clauses, and restore its state", async () => {
    // Only the server can reopen a dismissed observation that it found again; no scenario can undo that.
    const workspace = await openWorkspace((target) => delete (target.drive as Record<string, unknown>).rediscover);
    try {
      const stateBefore = await workspace.state();
      const reports = await runSideBySide({ target: workspace.target, profile: "full", only: sampled(SHARED, 6) });
      expect([getFailures(reports), leftBy(reports)]).toEqual([[], []]);
      for (const report of reports) expect(passed(report)).toBeGreaterThan(MIN_RATIO);
      const stateAfter = await workspace.state();
      const known = Object.keys(stateBefore.observations);
      // Of the jobs that ran before some have ended meanwhile: the clock may have been moved.
      expect({
        ...stateAfter,
        busy: stateAfter.busy.filter((id) => !stateBefore.busy.includes(id)),
        observations: known.map((ref) => [ref, stateAfter.observations[ref]]),
      }).toEqual({ ...stateBefore, busy: [], observations: known.map((ref) => [ref, stateBefore.observations[ref]]) });
    } finally {
      await workspace.close();
    }
  });

  test("find nothing in the independent server, and leave nothing behind", async () => {
    const server = await startReference(sharedChoices);
    const directory = mkdtempSync(join(tmpdir(), "together-"));
    try {
      const target = join(directory, "target.json");
      writeFileSync(target, JSON.stringify({ ...server.target, exclusive: false }));
      const reports = await runSideBySide({
        target,
        profile: "full",
        env: { REFERENCE_OPS: OPS_TOKEN },
        only: CONCURRENT_SCENARIOS,
      });
      expect([getFailures(reports), leftBy(reports)]).toEqual([[], []]);
    } finally {
      rmSync(directory, { recursive: true });
      await server.close();
    }
  });
});
