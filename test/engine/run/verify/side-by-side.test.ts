import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { judgeBundle } from "../../../../src/engine/run/judge-bundle.js";
import { planRun } from "../../../../src/engine/run/plan/plan.js";
import { type VerifyOptions, verify } from "../../../../src/engine/run/verify.js";
import { suite } from "../../../../src/suite/suite.js";
import { startReference } from "../../../reference/server.js";
import { terse } from "../../../reference/variants.js";

/** Scenarios that wait for an empty bucket; the first two also wait between their steps and at the end. */
const SCENARIOS = ["bucket-repo-list", "bucket-triage-acknowledge", "bucket-ticket", "error-rate"];
const MINUTE_SECONDS = 1.5;

/** For how many seconds a run of these would wait. */
async function forecast(options: VerifyOptions): Promise<number> {
  const found = await planRun(suite, options);
  if (!("plan" in found)) throw new Error(found.messages.join("\n"));
  return found.plan.summary.minutes.expected * 60;
}

test("on a server without hooks scenarios wait together as long as planned, and the trace gives the same verdicts", async () => {
  const server = await startReference({ ...terse, control: "none", clock: "flows", pace: 60 / MINUTE_SECONDS });
  const directory = mkdtempSync(join(tmpdir(), "side-by-side-"));
  try {
    const target = join(directory, "target.json");
    writeFileSync(target, JSON.stringify(server.target));
    const bundle = join(directory, "out");
    const options: VerifyOptions = { target, profile: "full", seed: 1, runs: 0 };
    const alone = await Promise.all(SCENARIOS.map((one) => forecast({ ...options, only: [one] })));
    const parallelSeconds = await forecast({ ...options, only: SCENARIOS });
    expect(parallelSeconds).toBeLessThan(0.7 * alone.reduce((sum, seconds) => sum + seconds, 0));

    const { report, messages } = await verify(suite, { ...options, only: SCENARIOS, out: bundle });
    if (!report) throw new Error(messages.join("\n"));
    const tooSlow = ({ reason = "" }) => reason.includes("longer than a minute"); // on a machine that has other things to do
    const wrongChecks = report.checks.filter((check) => check.verdict !== "passed" && !report.checks.some(tooSlow));
    expect(wrongChecks).toEqual([]);
    expect(Math.abs(report.waited_s - parallelSeconds)).toBeLessThan(1);
    expect((await judgeBundle(suite, { bundle })).messages.at(-1)).toBe(
      "judged 4 scenarios again from the trace, with the same verdicts",
    );
  } finally {
    rmSync(directory, { recursive: true });
    await server.close();
  }
});
