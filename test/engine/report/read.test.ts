import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { jsonText } from "../../../src/common/escape/visible.js";
import type { Check } from "../../../src/engine/execute/check.js";
import { readReport } from "../../../src/engine/report/read.js";
import type { Report } from "../../../src/engine/report/report.js";
import { findChecks } from "../../../src/engine/run/find-checks.js";
import { merge } from "../../../src/engine/run/merge.js";
import { readEarlier } from "../../../src/engine/run/resume.js";
import { suite } from "../../../src/suite/suite.js";
import { bundleDirectory, read, restated, sentences } from "../run/bundles.js";

const here = mkdtempSync(join(tmpdir(), "read-"));
const bundles = bundleDirectory();
beforeAll(bundles.open);
afterAll(async () => {
  rmSync(here, { recursive: true });
  await bundles.close();
});

/** Copies the small bundle and changes its first check. */
function withCheck(change: Partial<Check>): string {
  const bundle = mkdtempSync(join(here, "earlier-"));
  cpSync(join(bundles.here, "small"), bundle, { recursive: true });
  const report = JSON.parse(read(bundle, "report.json")) as Report;
  const [first, ...others] = report.checks;
  writeFileSync(join(bundle, "report.json"), `${jsonText({ ...report, checks: [{ ...first, ...change }, ...others] }, 2)}\n`);
  return restated(bundle);
}

const readers: Record<string, (bundle: string) => Promise<unknown> | unknown> = {
  "a report": (bundle) => readReport(bundle),
  "verify --bundle": (bundle) => sentences({ bundle }),
  show: (bundle) => findChecks(suite, bundle),
  merge: (bundle) => merge(suite, [bundle]),
  "verify --resume": (bundle) => readEarlier(bundle, {} as never),
};

test.each(Object.entries(readers))("%s says that an earlier build wrote a report, and what to do", async (_, open) => {
  const reason = "blocked by a waived failure: not played, because submit failed";
  const said = JSON.stringify(await open(withCheck({ verdict: "waived", reason })));
  expect(said).toContain("report.json: ");
  expect(said).toMatch(/was written by an earlier build, .*: run verify again/);
  expect(said).not.toMatch(/was changed|"exitCode":[0134]/);
});

test("a waived check with its verdict before the waiver is read", () => {
  expect(readReport(withCheck({ verdict: "waived", before_waiver: { verdict: "failed" } }))).toHaveProperty("report");
});
