import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Report, RunEvidence } from "../../../src/engine/report/report.js";
import { merge } from "../../../src/engine/run/merge.js";
import { listTestableClauses } from "../../../src/engine/verdict/clauses.js";
import { judgeEvidence } from "../../../src/engine/verdict/judge.js";
import { suite } from "../../../src/suite/suite.js";
import { check, EVIDENCE, line, waiver } from "../report/sample.js";

const directory = mkdtempSync(join(tmpdir(), "merge-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** The evidence of a run that passes every clause there is; `broken` fails. */
function wholeEvidence(broken?: string): RunEvidence {
  const of = (id: string) => (id === broken ? "failed" : "passed");
  const ids = listTestableClauses(suite.clauses);
  const scenarios = ids.map((id) => line(`s-${id}`, id, of(id)));
  return {
    ...EVIDENCE,
    scenarios,
    checks: ids.map((id) => check(`s-${id}`, id, of(id))),
    requests: scenarios.length,
    paid: 0,
    waited_s: 0,
  };
}

/** Writes the reports of n shards of a run, and returns their directories. */
function shards(run: RunEvidence, n: number, change: (report: Report, index: number) => Report = (report) => report): string[] {
  return Array.from({ length: n }, (_, at) => {
    const scenarios = run.scenarios.filter((_, index) => index % n === at);
    const names = new Set(scenarios.map(({ scenario }) => scenario));
    const checks = run.checks.filter(({ scenario }) => names.has(scenario));
    const selection = { ...run.selection, shard: { index: at + 1, of: n } };
    const { report } = judgeEvidence(suite, { ...run, selection, scenarios, checks, requests: scenarios.length });
    const place = mkdtempSync(join(directory, "shard-"));
    writeFileSync(join(place, "report.json"), JSON.stringify(change(report, at + 1)));
    return place;
  });
}

/** Returns the number of clauses that a report claims, and the number of those that were not judged. */
function getCounts(report: Report | undefined) {
  const clauseVerdicts = (report?.clauses ?? []).filter(({ verdict }) => !["informational", "not-applicable"].includes(verdict));
  return { clauses: clauseVerdicts.length, unjudged: clauseVerdicts.filter(({ verdict }) => verdict === "not-observed").length };
}

describe("merging shards", () => {
  test.each([undefined, "JOB-RETRY-NEW"])("gives the verdicts of one run (broken: %s)", async (broken) => {
    const { report, exitCode } = await merge(suite, shards(wholeEvidence(broken), 3));
    expect({ report, exitCode }).toEqual(judgeEvidence(suite, wholeEvidence(broken)));
    expect(exitCode).toBe(broken ? 1 : 0);
  });

  test("takes the shards in any order", async () => {
    const places = shards(wholeEvidence(), 3);
    expect(await merge(suite, [places[2]!, places[0]!, places[1]!])).toEqual(await merge(suite, places));
  });

  test("notices a missing shard", async () => {
    const { report, exitCode, messages } = await merge(suite, shards(wholeEvidence(), 3).slice(0, 2));
    expect([exitCode, report?.verdict, report?.selection.missing_shards]).toEqual([3, "inconclusive", [3]]);
    const { clauses, unjudged } = getCounts(report);
    expect([messages, report?.outcome.sentence]).toEqual([
      [],
      `No clause is broken, but the report of shard 3 is missing, and ${unjudged} of ${clauses} clauses are not judged.`,
    ]);
  });

  test("of twenty shards without two gives no verdict, and names them", async () => {
    const places = shards(wholeEvidence("JOB-RETRY-NEW"), 20);
    expect(await merge(suite, places)).toMatchObject({
      exitCode: 1,
      report: judgeEvidence(suite, wholeEvidence("JOB-RETRY-NEW")).report,
    });
    const passed = shards(wholeEvidence(), 20);
    const { report, exitCode, messages } = await merge(
      suite,
      passed.filter((_, at) => at !== 6 && at !== 19),
    );
    expect([exitCode, report?.verdict, report?.selection.missing_shards]).toEqual([3, "inconclusive", [7, 20]]);
    expect([messages, report?.outcome.sentence]).toEqual([
      [],
      expect.stringContaining("the reports of shards 7, 20 are missing"),
    ]);
  });

  test("applies waivers to the whole run, and reports a waiver as stale only for all shards together", async () => {
    const waivers = [waiver("JOB-RETRY-NEW"), waiver("JOB-RETRY-INFLIGHT")];
    const run = { ...wholeEvidence("JOB-RETRY-NEW"), waivers };
    const runResult = await merge(suite, shards(run, 2));
    expect(runResult.report).toEqual(judgeEvidence(suite, run).report);
    expect([runResult.exitCode, runResult.report?.waivers.map(({ state }) => state)]).toEqual([1, ["used", "stale"]]);
  });
});

type Change = (report: Report, index: number) => Report;
const second =
  (change: (report: Report) => Report): Change =>
  (report, index) =>
    index === 2 ? change(report) : report;

const REFUSED: [what: string, change: Change, message: RegExp][] = [
  [
    "of another suite",
    second((report) => ({ ...report, suite: { ...report.suite, clauses_digest: "0ther" } })),
    /: its digest of the clauses is 0ther, not c0ffee as in .*$/,
  ],
  [
    "of other scenarios",
    second((report) => ({ ...report, suite: { ...report.suite, scenarios_digest: "0ther" } })),
    /: its digest of the scenarios is /,
  ],
  ["of another target", second((report) => ({ ...report, target: "live" })), /: its target is live, not staging as in /],
  ["of another profile", second((report) => ({ ...report, profile: "full" })), /: its profile is full, not /],
  [
    "of a run cut otherwise",
    second((report) => ({ ...report, selection: { only: [], shard: { index: 2, of: 5 } } })),
    /: its number of shards is /,
  ],
  [
    "there twice",
    second((report) => ({ ...report, selection: { only: [], shard: { index: 1, of: 2 } } })),
    /report\.json: is shard 1\/2, the same as .*report\.json$/,
  ],
  ["of no shard", second((report) => ({ ...report, selection: { only: [] } })), /: is not the report of a shard/],
  [
    "of another form",
    second((report) => ({ ...report, checks: 1 as never })),
    /: is not a report that this version can read: \/checks must be array; version 1\.2\.3 wrote it: read it with that version, or run verify again$/,
  ],
];

describe("merging refuses a report", () => {
  test.each(REFUSED)("%s", async (_, change, message) => {
    const { exitCode, report, messages } = await merge(suite, shards(wholeEvidence(), 2, change));
    expect([exitCode, report, messages]).toEqual([2, undefined, [expect.stringMatching(message)]]);
  });

  test("that is a pipe or a link to a device", async () => {
    const [pipe, device] = ["pipe", "device"].map((name) => join(directory, name)) as [string, string];
    execFileSync("mkfifo", [pipe]);
    symlinkSync("/dev/zero", device);
    const messages = [pipe, device].map((path) => `${path}: is not a regular file`);
    expect(await merge(suite, [pipe, device])).toEqual({ exitCode: 2, messages });
  });

  test("that is missing, or is not JSON", async () => {
    const place = join(directory, "broken");
    mkdirSync(place);
    writeFileSync(join(place, "report.json"), "{");
    expect(await merge(suite, [join(directory, "nowhere"), place])).toEqual({
      exitCode: 2,
      messages: [`${join(directory, "nowhere")}: does not exist`, `${join(place, "report.json")}: is not JSON (column 2)`],
    });
  });
});
