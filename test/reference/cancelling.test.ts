import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verify } from "../../src/engine/run/verify.js";
import { readScenarioCatalogue, suite } from "../../src/suite/suite.js";
import { sampled } from "../meta/sample.js";
import { base } from "./base.js";
import { startReference } from "./server.js";

/** The scenarios in which a check may mistake a job for one in flight. */
const names = readScenarioCatalogue()
  .filter(({ claims }) => claims.some((clause) => /^(DEDUPE|IDEMPOTENCY|JOB-SUBMIT)-/.test(clause)))
  .map(({ name }) => name.replace(/\[\d+\]$/, ""));
/** Each run draws 10 of them, with one of the 12 delays. */
const scenarios = sampled([...new Set(names)], 10);

/** The numbers of requests for which a cancelled job stays pending. With each number it ends between other two steps of a scenario. */
const delays = Array.from({ length: 12 }, (_, at) => at + 1);

test.each(sampled(delays, 1))("jobs that end %s requests after their cancellation cause no false alarm", async (cancelMs) => {
  const failed: string[] = [];
  for (const name of scenarios) {
    const server = await startReference({ ...base, name: "slow to cancel", control: "none", clock: "creeps", cancelMs });
    const directory = mkdtempSync(join(tmpdir(), "cancelling-"));
    try {
      const target = join(directory, "target.yaml");
      writeFileSync(target, JSON.stringify(server.target));
      // the second run begins while the jobs of the first one are still ending
      for (let run = 0; run < 2; run++) {
        const { report } = await verify(suite, { target, only: [name], seed: 1, runs: 0, profile: "full", maxWait: 0 });
        const checks = report?.checks.filter(({ verdict }) => verdict === "failed") ?? [];
        failed.push(...checks.map(({ id, expected, actual }) => `${id}: expected ${expected}, got ${actual}`));
      }
    } finally {
      rmSync(directory, { recursive: true });
      await server.close();
    }
  }
  expect(failed).toEqual([]);
});
