import { createHash } from "node:crypto";
import { cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeBundle } from "../../../src/engine/evidence/bundle/write.js";
import type { PropertyEntry } from "../../../src/engine/property/result.js";
import type { Report, RunEvidence } from "../../../src/engine/report/report.js";
import { judgeBundle } from "../../../src/engine/run/judge-bundle.js";
import { merge } from "../../../src/engine/run/merge.js";
import { verify } from "../../../src/engine/run/verify.js";
import { judgeEvidence } from "../../../src/engine/verdict/judge.js";
import { startMock } from "../../../src/index.js";
import { suite } from "../../../src/suite/suite.js";
import { exhaustive } from "../../meta/sample.js";
import { openMutant } from "../../mutants/open.js";
import { mutants } from "../../quality/mutants.js";
import { variants } from "../../quality/variants.js";

import { bundleDirectory, examine, judged, read, sentences, withFacts } from "./bundles.js";

const { here, place, changed, url, open, close } = bundleDirectory();

/** Scenarios that together take little time. */
const JUDGED_SCENARIOS = ["openapi-gate*", "page-l*"];

beforeAll(open);
afterAll(close);

describe("judging a bundle again gives the verdicts of the run", () => {
  test("for a suite against the mock, and no file has a key", async () => {
    const out = place();
    const world = await startMock({ clock: "frozen" });
    const only = exhaustive ? [] : ["error-v*", "error-code-*", "mcp-tool-a*", "openapi-gate-staff", "json-request"];
    const ran = await examine({ url: world.api_url, only, out, forms: ["junit", "html", "markdown"] }).finally(() =>
      world.close(),
    );
    const repeatedRunResult = await judgeBundle(suite, { bundle: out });
    expect([repeatedRunResult.exitCode, judged(repeatedRunResult.report)]).toEqual([ran.exitCode, judged(ran.report)]);
    expect(repeatedRunResult.report?.verdict).toBe("passed");
    expect(readdirSync(out).sort()).toEqual([
      "clauses.json",
      "quality.json",
      "report.html",
      "report.json",
      "report.junit.xml",
      "report.md",
      "statement.json",
      "trace.ndjson",
      "waivers.yaml",
    ]);
    const secrets = [...Object.values(world.keys), ...Object.values(world.sessions)];
    for (const name of readdirSync(out)) {
      const text = read(out, name);
      expect([name, secrets.filter((secret) => text.includes(secret)), text.match(/mock_w\d+_\w+|Bearer mock_/)]).toEqual([
        name,
        [],
        null,
      ]);
    }
  }, 120_000);

  test.each(["KEY-CREATE-ONCE", "MCP-ARG-NAMED"])("for a server that breaks %s", async (clause) => {
    const mutant = mutants.find(({ breaks }) => breaks === clause) ?? expect.fail(`nothing breaks ${clause}`);
    const out = place();
    const server = await openMutant(mutant);
    const ran = await examine({ url: server.url, only: [clause], out }).finally(() => server.close());
    const repeatedRunResult = await judgeBundle(suite, { bundle: out });
    expect([repeatedRunResult.exitCode, judged(repeatedRunResult.report)]).toEqual([1, judged(ran.report)]);
    expect(JSON.parse(read(out, "statement.json"))).toMatchObject({ predicate: { result: "FAILED", failedTests: [clause] } });
  });

  test("for a server without worlds and without a clock", async () => {
    const closedSubject = [...variants].find(([name]) => name.endsWith("closed"))?.[1] ?? expect.fail("this variant is missing");
    const { options, close } = await closedSubject();
    const out = place();
    const ran = await examine({ ...options, only: ["error-n*", "5-authentication/*"], out }).finally(close);
    const repeatedRunResult = await judgeBundle(suite, { bundle: out });
    expect([repeatedRunResult.exitCode, judged(repeatedRunResult.report)]).toEqual([ran.exitCode, judged(ran.report)]);
    expect(read(out, "trace.ndjson")).not.toContain("ops-token");
  }, 60_000);

  test("with the waivers of the run, by the day of the run", async () => {
    const mutant = mutants.find(({ breaks }) => breaks === "KEY-CREATE-ONCE") ?? expect.fail("there is no such mutant");
    const waivers = join(here, "waivers.yaml");
    const text =
      "# known\nwaivers:\n  - { clause: KEY-CREATE-ONCE, reason: old, ticket: T-1, expires: 2999-12-31, target: mock }\n";
    writeFileSync(waivers, text);
    const out = place();
    const server = await openMutant(mutant);
    const ran = await examine({ url: server.url, only: ["KEY-CREATE-ONCE"], waivers, out }).finally(() => server.close());
    const repeatedRunResult = await judgeBundle(suite, { bundle: out });
    expect([repeatedRunResult.exitCode, judged(repeatedRunResult.report), read(out, "waivers.yaml")]).toEqual([
      ran.exitCode,
      judged(ran.report),
      text,
    ]);
    expect(repeatedRunResult.report?.waivers[0]?.state).toBe("used");
    expect(JSON.parse(read(out, "statement.json"))).toMatchObject({ predicate: { result: "WARNED", failedTests: [] } });
  });

  test("with a property, whose checks are adopted", async () => {
    const reportBefore = JSON.parse(read(join(here, "small"), "report.json")) as Report;
    const scenario = "property:cases-hold";
    const line = {
      scenario,
      title: "Cases hold",
      file: scenario,
      proves: ["JOB-RETRY-NEW"],
      verdict: "failed" as const,
      requests: 9,
    };
    const fault = {
      scenario,
      step: "cases",
      clauses: ["JOB-RETRY-NEW"],
      file: scenario,
      line: 1,
      verdict: "failed" as const,
      subjects: 1,
    };
    const check = { id: `${scenario}/cases`, ...fault };
    const properties: PropertyEntry[] = [
      { id: "cases-hold", title: "Cases hold", runs: 1, inconclusive: 0, seed: 1, verdict: "failed" },
    ];
    const { report } = judgeEvidence<RunEvidence>(suite, {
      ...reportBefore,
      waivers: [],
      scenarios: [...reportBefore.scenarios, line],
      checks: [...reportBefore.checks, check],
      properties,
    });
    const bundle = changed(
      "trace.ndjson",
      withFacts((facts) => ({ ...facts, scenarios: [line], checks: [check], properties })),
    );
    cpSync(join(bundle, "trace.ndjson"), join(bundle, "draft"));
    const sha256 = createHash("sha256").update(read(bundle, "draft")).digest("hex");
    await writeBundle(suite, bundle, report, [], { trace: { path: join(bundle, "draft"), sha256 } });
    const again = await sentences({ bundle });
    expect([again.exitCode, judged(again.report)]).toEqual([1, judged(report)]);
    expect(again.messages).toContain("not judged again: 1 properties");
  });

  test("for a resumed run, whose earlier trace is adopted", async () => {
    const [first, second] = [place(), place()];
    const stop = new AbortController();
    const options = { url: url(), only: JUDGED_SCENARIOS };
    const stopped = await examine({ ...options, out: first, signal: stop.signal, onProgress: () => stop.abort() });
    expect(stopped.report.counts["not-observed"]).toBeGreaterThan(0);
    const ran = await examine({ ...options, out: second, resume: first });
    const repeatedRunResult = await judgeBundle(suite, { bundle: second });
    expect([repeatedRunResult.exitCode, judged(repeatedRunResult.report)]).toEqual([ran.exitCode, judged(ran.report)]);
    rmSync(join(first, "trace.ndjson"));
    rmSync(join(first, "statement.json"));
    await examine({ ...options, out: second, resume: first });
    expect(await sentences({ bundle: second })).toMatchObject({
      exitCode: 3,
      messages: expect.stringContaining("the trace does not contain"),
    });
  }, 60_000);

  test("except for one of other clauses: it names each waiver of a clause that this version does not have", async () => {
    const out = place();
    const server = await startMock({ clock: "frozen" });
    const waivers = join(here, "older-waivers.yaml");
    const text = "waivers:\n  - { clause: KEY-CREATE-ONCE, reason: old, ticket: T-1, expires: 2999-12-31, target: mock }\n";
    writeFileSync(waivers, text);
    const older = {
      ...suite,
      identify: (...scenarios: Parameters<typeof suite.identify>) => ({ ...suite.identify(...scenarios), version: "0.0.9" }),
    };
    await verify(older, { url: server.api_url, only: ["KEY-CREATE-ONCE"], waivers, out }).finally(() => server.close());
    const { "KEY-CREATE-ONCE": _, ...clauses } = suite.clauses;
    const identify = (...scenarios: Parameters<typeof suite.identify>) => ({
      ...suite.identify(...scenarios),
      clauses_digest: "0".repeat(64),
    });
    const result = await judgeBundle({ ...suite, clauses, identify }, { bundle: out });
    expect([result.exitCode, result.otherSuite?.suite.version, result.messages]).toEqual([
      2,
      "0.0.9",
      expect.arrayContaining([
        "the bundle was judged by version 0.0.9",
        "waivers.yaml waives KEY-CREATE-ONCE (T-1), which this version does not have.",
      ]),
    ]);
  });

  test("for merged shards, with joined traces", async () => {
    const [first, second, whole, half] = [place(), place(), place(), place()];
    for (const [index, out] of [first, second].entries())
      await examine({ url: url(), only: JUDGED_SCENARIOS, shard: { index: index + 1, of: 2 }, out });
    expect((await judgeBundle(suite, { bundle: first })).report?.selection.shard).toEqual({ index: 1, of: 2 });
    const runResult = await merge(suite, [second, first], { out: whole });
    const repeatedRunResult = await judgeBundle(suite, { bundle: whole });
    expect([repeatedRunResult.exitCode, judged(repeatedRunResult.report)]).toEqual([
      runResult.exitCode,
      judged(runResult.report),
    ]);
    await merge(suite, [second], { out: half });
    expect((await judgeBundle(suite, { bundle: half })).exitCode).toBe(3);
    rmSync(join(first, "statement.json"));
    const bare = await merge(suite, [first, second], { out: whole });
    expect(bare.messages.join()).toContain(`the traces were not merged, so the merged report cannot be judged again: ${first}`);
    expect(await sentences({ bundle: whole })).toMatchObject({
      exitCode: 3,
      outcome: { sentence: expect.stringContaining("has no trace") },
    });
  });
});
