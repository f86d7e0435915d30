import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatJson } from "../../../src/common/escape/visible.js";
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
  writeFileSync(join(bundle, "report.json"), `${formatJson({ ...report, checks: [{ ...first, ...change }, ...others] }, 2)}\n`);
  return restated(bundle);
}

const readers: Record<string, (bundle: string) => Promise<unknown> | unknown> = {
  "a report": (bundle) => readReport(bundle),
  "verify --bundle": (bundle) => sentences({ bundle }),
  show: (bundle) => findChecks(suite, bundle),
  merge: (bundle) => merge(suite, [bundle]),
  "verify --resume": (bundle) => readEarlier(bundle, {} as never),
};

test.each(Object.entries(readers))("%s names the earlier build that wrote a report, and what to do", async (_, open) => {
  const reason = "blocked by a waived failure: not run, because submit failed";
  const openedText = JSON.stringify(await open(withCheck({ verdict: "waived", reason })));
  expect(openedText).toContain("report.json: ");
  expect(openedText).toMatch(/was written by an earlier build, .*: run verify again/);
  expect(openedText).not.toMatch(/was changed|"exitCode":[0134]/);
});

test("a waived check with its verdict before the waiver is read", () => {
  expect(readReport(withCheck({ verdict: "waived", before_waiver: { verdict: "failed" } }))).toHaveProperty("report");
});

const scenarioLine = (fields: object) => (scenario: string) =>
  `${JSON.stringify({ kind: "exchange", scenario, n: 0, ...fields })}\n`;

test.each<[what: string, write: (scenario: string) => string | Buffer]>([
  ["a line that is cut", (scenario) => `{"kind":"exchange","scenario":${JSON.stringify(scenario)},"n":0`],
  ["bytes that are not text", () => Buffer.from([0x7b, 0xff, 0xfe])],
  ["an exchange without a request", scenarioLine({ with: "service", started_at: 0, ended_at: 1 })],
  ["a request that is a number", scenarioLine({ with: "service", started_at: 0, ended_at: 1, request: 5 })],
  ["a name twice", (scenario) => `{"kind":"exchange","scenario":${JSON.stringify(scenario)},"n":0,"n":1}\n`],
  ["levels without end", (scenario) => `{"scenario":${JSON.stringify(scenario)},"n":${"[".repeat(9999)}${"]".repeat(9999)}}\n`],
])("show refuses a trace with %s, and names the line", async (_, write) => {
  const bundle = withCheck({});
  const [first] = (JSON.parse(read(bundle, "report.json")) as Report).checks;
  writeFileSync(join(bundle, "trace.ndjson"), write(first?.scenario ?? ""));
  expect(await findChecks(suite, bundle, first?.id)).toMatchObject({
    ok: false,
    mistake: expect.stringMatching(/trace\.ndjson:1: (is not|has) /),
  });
});

test("show refuses a trace that is a directory", async () => {
  const bundle = withCheck({});
  const [first] = (JSON.parse(read(bundle, "report.json")) as Report).checks;
  rmSync(join(bundle, "trace.ndjson"));
  mkdirSync(join(bundle, "trace.ndjson"));
  expect(await findChecks(suite, bundle, first?.id)).toMatchObject({
    mistake: expect.stringMatching(/ndjson: is not a regular file$/),
  });
});
