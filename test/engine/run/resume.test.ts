import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { renderReport } from "../../../src/engine/report/forms.js";
import type { Report } from "../../../src/engine/report/report.js";
import { judgeBundle } from "../../../src/engine/run/judge-bundle.js";
import { type RunResult, type VerifyOptions, verify } from "../../../src/engine/run/verify.js";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { suite } from "../../../src/suite/suite.js";
import { main } from "../../cli/counterpart.js";
import { openMutant } from "../../mutants/open.js";
import { mutants } from "../../quality/mutants.js";
import { openLossy } from "./lossy-proxy.js";

let mock: Mock;
let directory: string;

beforeEach(async () => {
  mock = await startMock({ seed: 1, clock: "frozen" });
  directory = mkdtempSync(join(tmpdir(), "resume-"));
});

afterEach(async () => {
  await mock.close();
  rmSync(directory, { recursive: true });
});

const only = ["*/4-jobs/job-submit*"];

/** Returns the result of a run without the parts that differ between equal runs. */
function comparedPart({ report, exitCode }: RunResult) {
  const { scenarios = [], checks = [], clauses = [] } = report ?? {};
  return { exitCode, scenarios, checks: checks.map(({ id, verdict }) => [id, verdict]), clauses };
}

/** Stops a run after this many scenarios. */
async function stoppedRun(after: number, options: VerifyOptions): Promise<RunResult> {
  const controller = new AbortController();
  const onProgress: NonNullable<VerifyOptions["onProgress"]> = ({ done }) => void (done >= after && controller.abort());
  return verify(suite, { ...options, signal: controller.signal, onProgress });
}

test("a resumed run continues where it stopped, and has the result of one run", async () => {
  const options = { url: mock.api_url, only, seed: 5 };
  const runResult = await verify(suite, options);
  const first = await stoppedRun(10, { ...options, out: directory });
  expect(first.exitCode).toBe(3);
  const passedCount = first.report?.scenarios.filter(({ verdict }) => verdict === "passed").length ?? 0;
  expect(passedCount).toBeGreaterThanOrEqual(10);
  const counted: string[] = [];
  const second = await verify(suite, {
    ...options,
    resume: directory,
    onProgress: ({ scenario }) => void counted.push(scenario),
  });
  expect(counted).toHaveLength((runResult.report?.scenarios.length ?? 0) - passedCount);
  expect(comparedPart(second)).toEqual(comparedPart(runResult));
});

test("a resumed run executes what lost its connection, and the text report suggests it", async () => {
  let isBad = true;
  const lose = (_: number, path: string) => (isBad && path.endsWith("/acknowledge") ? ("after" as const) : undefined);
  const proxy = await openLossy({ lose });
  try {
    const options = { url: proxy.url, only: ["observation-acknowledge", "page-limit"], seed: 5, out: directory };
    const { report: first = expect.fail("no report") } = await verify(suite, options);
    expect(getVerdicts(first)).toEqual({ "observation-acknowledge": "inconclusive", "page-limit": "passed" });
    expect((await getText(first)).trimEnd().split("\n").at(-1)).toBe(
      "1 scenario had no connection or no time. Repeat the command with --resume out to run it.",
    );
    isBad = false;
    const { report: second = expect.fail("no report") } = await verify(suite, { ...options, resume: directory });
    expect(getVerdicts(second)).toEqual({ "observation-acknowledge": "passed", "page-limit": "passed" });
    expect(await getText(second)).not.toContain("--resume");
    expect((await judgeBundle(suite, { bundle: directory })).messages.join("\n")).toContain("judged 2 scenarios again");
  } finally {
    await proxy.close();
  }
});

const getVerdicts = ({ scenarios }: Report) => Object.fromEntries(scenarios.map(({ scenario, verdict }) => [scenario, verdict]));
const getText = (report: Report) => renderReport("text", report, suite, { colour: false, directory: "out" });

test("a run that was killed continues, and its trace is complete", async () => {
  const proxy = await openLossy({ delayMs: 20 });
  try {
    const args = ["verify", proxy.url, "--only", ...only, "--seed", "5", "--out", directory];
    const child = spawn(process.execPath, [main, ...args], { stdio: "ignore" });
    const ended = once(child, "close");
    while (!existsSync(join(directory, "report.json"))) await sleep(10);
    child.kill("SIGKILL");
    await ended;
    const killed = JSON.parse(readFileSync(join(directory, "report.json"), "utf8")) as Report;
    expect([killed.outcome.verdict, Object.values(getVerdicts(killed))]).toEqual([
      "inconclusive",
      expect.arrayContaining(["passed", "not-observed"]),
    ]);
    const { report = expect.fail("no report") } = await verify(suite, {
      url: proxy.url,
      only,
      seed: 5,
      out: directory,
      resume: directory,
    });
    expect(report.verdict).toBe("passed");
    expect(readdirSync(directory).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    const repeatedRunResult = await judgeBundle(suite, { bundle: directory });
    expect([repeatedRunResult.exitCode, repeatedRunResult.messages.join("\n")]).toEqual([
      report.outcome.exit_code,
      expect.stringContaining(`judged ${report.scenarios.length - report.properties.length} scenarios again`),
    ]);
  } finally {
    await proxy.close();
  }
});

describe("a resumed run continues the counts", () => {
  const left = { what: "job started", id: "job_1", scenario: "submit", why: "no answer" };
  const sums = { requests: 9000, paid: 900, waited_s: 70 };

  /** Goes on from a stopped run whose report is made to say that it sent and left this much. */
  async function resumeRun(options: VerifyOptions = {}) {
    const asked = { url: mock.api_url, only: ["dedupe*"], seed: 5 };
    const runResult = await verify(suite, { ...asked, ...options });
    const { report } = await stoppedRun(1, { ...asked, out: directory });
    writeFileSync(join(directory, "report.json"), JSON.stringify({ ...report, ...sums, leftovers: [left] }));
    const second = await verify(suite, { ...asked, ...options, resume: directory });
    if (!runResult.report || !second.report) throw new Error(second.messages.join("\n"));
    return { whole: runResult.report, second: second.report };
  }

  test("of the earlier run, and names its leftovers", async () => {
    const { whole, second } = await resumeRun();
    expect(second.requests).toBeGreaterThan(sums.requests);
    expect(second.requests).toBeLessThan(sums.requests + whole.requests);
    expect(second.paid).toBeGreaterThan(sums.paid);
    expect(second.waited_s).toBeGreaterThanOrEqual(sums.waited_s);
    expect(second.leftovers).toEqual([left]);
  });

  test("of paid work within one budget", async () => {
    const { whole, second } = await resumeRun({ budgetPaid: sums.paid });
    expect(whole.verdict).toBe("passed");
    expect(second.paid).toBe(sums.paid);
    expect(JSON.stringify(second.checks)).toContain("the budget for paid work is used up");
  });
});

test("an interrupted property continues with the remaining cases", async () => {
  const options = { url: mock.api_url, only: ["property:fuzz-list-*"], seed: 5, runs: 20 };
  const controller = new AbortController();
  let cases = 0;
  const first = await verify(suite, {
    ...options,
    out: directory,
    signal: controller.signal,
    onProgress: () => void (++cases >= 10 && controller.abort()),
  });
  const cutPropertyEntries = first.report?.properties.filter(({ not_run: notRun = 0 }) => notRun > 0) ?? [];
  expect(cutPropertyEntries.length).toBeGreaterThan(0);
  const second = await verify(suite, { ...options, resume: directory });
  for (const { id } of cutPropertyEntries) {
    const line = second.report?.properties.find((property) => property.id === id);
    expect(line).toMatchObject({ verdict: "passed" });
    expect(line?.not_run).toBeUndefined();
  }
});

test("only a run of the same suite, selection and seed can be resumed", async () => {
  const options = { url: mock.api_url, only, seed: 5 };
  await stoppedRun(5, { ...options, out: directory });
  const runResult = await verify(suite, { ...options, only: ["*/4-repositories/*"], seed: 6, resume: directory });
  expect(runResult.exitCode).toBe(2);
  expect(runResult.messages).toEqual([expect.stringContaining("its selection"), expect.stringContaining("its seed is 5, not 6")]);
});

test("only a run with the same server and profile can be resumed", async () => {
  const options = { url: mock.api_url, only, seed: 5 };
  await stoppedRun(5, { ...options, out: directory });
  const narrower = await verify(suite, { ...options, profile: "read-only", resume: directory });
  expect([narrower.exitCode, narrower.messages]).toEqual([2, [expect.stringContaining("its profile is full, not read-only")]]);
  const otherMock = await startMock({ seed: 1, clock: "frozen" });
  try {
    const runResultElsewhere = await verify(suite, { ...options, url: otherMock.api_url, resume: directory });
    expect([runResultElsewhere.exitCode, runResultElsewhere.messages]).toEqual([
      2,
      [expect.stringContaining(`its server is ${mock.api_url}, not ${otherMock.api_url}`)],
    ]);
  } finally {
    await otherMock.close();
  }
});

test("a waived failure of the earlier run stays waived, and is a finding without the waiver", async () => {
  const clause = "KEY-CREATE-ONCE";
  const mutant = mutants.find(({ breaks }) => breaks === clause) ?? expect.fail(`nothing breaks ${clause}`);
  const waivers = join(directory, "waivers.yaml");
  writeFileSync(waivers, `waivers:\n  - { clause: ${clause}, reason: old, ticket: T-1, expires: 2999-12-31, target: mock }\n`);
  const server = await openMutant(mutant);
  try {
    const options = { url: server.url, only: [clause], seed: 5 };
    const first = await verify(suite, { ...options, waivers, out: directory });
    const repeatedRunResult = await verify(suite, { ...options, waivers, resume: directory });
    const runResult = await verify(suite, { ...options, resume: directory });
    const verdict = ({ report }: RunResult) => report?.clauses.find(({ id }) => id === clause)?.verdict;
    expect([first, repeatedRunResult, runResult].map(verdict)).toEqual(["waived", "waived", "failed"]);
  } finally {
    await server.close();
  }
});
