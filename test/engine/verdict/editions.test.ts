import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { RunEvidence } from "../../../src/engine/report/report.js";
import { readScenarios } from "../../../src/engine/scenario/select.js";
import {
  createEdition,
  digestEdition,
  type Edition,
  isNewer,
  listEditions,
  listNewerClauses,
  readEdition,
  writeEdition,
} from "../../../src/engine/verdict/editions.js";
import { judgeEvidence } from "../../../src/engine/verdict/judge.js";
import { suite } from "../../../src/suite/suite.js";
import { check, EVIDENCE, line, RULES } from "../report/sample.js";

const { scenarios } = readScenarios(suite.scenarios, suite);
const [first, second] = scenarios;
if (!first || !second) throw new Error("the suite has no scenarios");

const open: string[] = [];
afterAll(() => {
  for (const directory of open) rmSync(directory, { recursive: true, force: true });
});

/** Returns the result of a run under a claim: a verdict for each clause, and the exit code. */
function judge(change: Partial<RunEvidence>) {
  const { report, exitCode } = judgeEvidence(RULES, { ...EVIDENCE, selection: { only: ["*"] }, ...change });
  return { exitCode, verdict: Object.fromEntries(report.clauses.map(({ id, verdict }) => [id, verdict])), report };
}

const passes = { scenarios: [line("one", "ALPHA", "passed")], checks: [check("one", "ALPHA", "passed")] };

describe("a run that claims an edition", () => {
  test("gets a warning for a failure of a newer check", () => {
    const { exitCode, report } = judge({
      scenarios: [...passes.scenarios, { ...line("new", "ALPHA", "failed", "step: no"), newer: true }],
      checks: [...passes.checks, check("new", "ALPHA", "failed", { actual: "no" })],
    });
    expect([exitCode, report.clauses[0]?.verdict]).toEqual([0, "passed"]);
    expect(report.checks[1]).toMatchObject({ verdict: "warned", actual: "no" });
    expect(report.scenarios[1]).toMatchObject({ verdict: "warned" });
  });

  test("does not judge a clause that only newer checks judge", () => {
    const newer = { ...line("new", "BETA", "failed", "step: no"), newer: true as const };
    const { exitCode, verdict } = judge({
      scenarios: [...passes.scenarios, newer],
      checks: [...passes.checks, check("new", "BETA", "failed", { actual: "no" })],
    });
    expect([exitCode, verdict]).toEqual([0, { ALPHA: "passed", BETA: "informational" }]);
  });

  test("fails if a check of the edition fails", () => {
    const { exitCode, verdict } = judge({
      scenarios: [line("one", "ALPHA", "failed", "step: no")],
      checks: [check("one", "ALPHA", "failed", { actual: "no" })],
    });
    expect([exitCode, verdict]).toEqual([1, { ALPHA: "failed" }]);
  });

  test("fails for a check of the edition unless the check breaks only newer clauses", () => {
    const getFailingChecks = (clauses: string[]) => ({
      scenarios: [...passes.scenarios, line("two", "BETA", "failed", "step: no")],
      checks: [...passes.checks, check("two", "BETA", "failed", { actual: "no", clauses })],
      claim: { names: ["edition 0.1.0"], edition: "0.1.0", clauses: ["ALPHA", "GAMMA"], total: 3 },
    });
    const { exitCode, report } = judge(getFailingChecks(["BETA"]));
    expect([exitCode, report.scenarios[1]?.verdict, report.checks[1]?.verdict]).toEqual([0, "warned", "warned"]);
    expect(judge(getFailingChecks(["BETA", "ALPHA"])).exitCode).toBe(1);
  });

  test("does not claim newer clauses", () => {
    const { report } = judge({
      ...passes,
      selection: { only: [] },
      claim: { names: ["edition 0.1.0"], edition: "0.1.0", clauses: ["ALPHA"], total: 3 },
    });
    expect(report.clauses.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["ALPHA", "passed"],
      ["BETA", "informational"],
      ["GAMMA", "informational"],
    ]);
    expect(report.verdict).toBe("passed");
  });
});

describe("an edition", () => {
  const edition: Edition = createEdition("1.0.0", suite.clauses, [first], ["walks"]);
  const changed = { ...first, text: { ...first.text, title: "Another" } };
  const property = (id: string) => ({ ...first, name: `property:${id}` });

  test.each([
    ["an unchanged scenario", first, false],
    ["a changed scenario", changed, true],
    ["a new scenario", second, true],
    ["a property of the edition", property("walks"), false],
    ["a new property", property("filters"), true],
  ])("recognizes %s", (_, scenario, newer) => {
    expect(isNewer(edition, scenario)).toBe(newer);
  });

  test("recognizes added and changed clauses", () => {
    const [id = "", other = ""] = Object.keys(suite.clauses);
    const { [other]: _, ...fewer } = suite.clauses;
    const older = createEdition("1.0.0", { ...fewer, [id]: { ...suite.clauses[id]!, description: "Something else." } }, [], []);
    expect(listNewerClauses(older, suite.clauses)).toEqual([id, other]);
  });

  test("that does not exist is refused with the known editions", () => {
    const directory = mkdtempSync(join(tmpdir(), "editions-"));
    open.push(directory);
    const refusal = (there: string) => ({ ok: false, mistake: expect.stringContaining(`Known editions: ${there}`) });
    expect(readEdition(join(directory, "nothing"), "1.0.0")).toMatchObject(refusal("none"));
    writeEdition(directory, edition);
    for (const version of ["1.0.1", "../1.0.0", ".", "1.0.0-dev"])
      expect(readEdition(directory, version), version).toMatchObject(refusal("1.0.0"));
  });

  test("is written once, at a release, and can be read", () => {
    const directory = join(mkdtempSync(join(tmpdir(), "editions-")), "deep");
    open.push(directory);
    expect(writeEdition(directory, { ...edition, version: "1.0.0-dev" })).toEqual({
      ok: false,
      mistake: "1.0.0-dev is not a release version: set a version such as 1.2.3",
    });
    expect(listEditions(directory)).toEqual([]);
    expect(writeEdition(directory, edition)).toMatchObject({ ok: true });
    expect(readEdition(directory, "1.0.0")).toEqual({ ok: true, edition });
    expect(writeEdition(directory, createEdition("1.0.0", {}, [], []))).toEqual({
      ok: false,
      mistake: "edition 1.0.0 already exists: raise the version",
    });
    expect(readEdition(directory, "1.0.0")).toEqual({ ok: true, edition });
  });

  test("of each release is unchanged", () => {
    for (const version of listEditions(suite.editions)) {
      const result = readEdition(suite.editions, version);
      if (!result.ok) throw new Error(result.mistake);
      expect([result.edition.version, result.edition.digest]).toEqual([version, digestEdition(result.edition)]);
    }
  });

  test("of the version in package.json is equal to the current suite", async () => {
    const { version } = suite.identify(scenarios);
    const result = readEdition(suite.editions, version);
    if (!result.ok) return; // this version is not released
    const { properties } = await import("../../../src/suite/properties.js");
    const names = properties.map(({ id }) => id);
    expect(createEdition(version, suite.clauses, scenarios, names).digest).toBe(result.edition.digest);
  });
});
