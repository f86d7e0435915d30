import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { conclude, type Evidence } from "../../src/runner/conclude.js";
import { digestOfEdition, type Edition, freeze, isLater, laterClauses, readEdition } from "../../src/runner/edition.js";
import { readScenarios } from "../../src/runner/scenario/select.js";
import { ledger, suiteDirectory } from "../../src/runner/suite.js";
import { check, EVIDENCE, LEDGER, line } from "./report/sample.js";

const { scenarios } = readScenarios(suiteDirectory, ledger);
const [first, second] = scenarios;
if (!first || !second) throw new Error("the suite has no scenarios");

/** What a run under a claim comes to: a verdict for each clause, and the exit code. */
function judge(change: Partial<Evidence>) {
  const { report, exitCode } = conclude(LEDGER, { ...EVIDENCE, selection: { only: ["*"] }, ...change });
  return { exitCode, verdict: Object.fromEntries(report.clauses.map(({ id, verdict }) => [id, verdict])), report };
}

const passes = { scenarios: [line("one", "ALPHA", "passed")], checks: [check("one", "ALPHA", "passed")] };

describe("a run that claims an edition", () => {
  test("is not failed by a check that came later: it is a warning", () => {
    const { exitCode, report } = judge({
      scenarios: [...passes.scenarios, { ...line("new", "ALPHA", "failed", "step: no"), later: true }],
      checks: [...passes.checks, check("new", "ALPHA", "failed", { actual: "no" })],
    });
    expect([exitCode, report.clauses[0]?.verdict]).toEqual([0, "passed"]);
    expect(report.checks[1]).toMatchObject({ verdict: "warned", actual: "no" });
    expect(report.scenarios[1]).toMatchObject({ verdict: "warned" });
  });

  test("earns nothing for a clause that only later checks judge and fail", () => {
    const later = { ...line("new", "BETA", "failed", "step: no"), later: true as const };
    const { exitCode, verdict } = judge({
      scenarios: [...passes.scenarios, later],
      checks: [...passes.checks, check("new", "BETA", "failed", { actual: "no" })],
    });
    expect([exitCode, verdict]).toEqual([0, { ALPHA: "passed", BETA: "informational" }]);
  });

  test("is failed by a check that the edition has", () => {
    const { exitCode, verdict } = judge({
      scenarios: [line("one", "ALPHA", "failed", "step: no")],
      checks: [check("one", "ALPHA", "failed", { actual: "no" })],
    });
    expect([exitCode, verdict]).toEqual([1, { ALPHA: "failed" }]);
  });

  test("is not failed by a check of the edition that blames a clause which came later, but by one that blames another, too", () => {
    const blaming = (clauses: string[]) => ({
      scenarios: [...passes.scenarios, line("two", "BETA", "failed", "step: no")],
      checks: [...passes.checks, check("two", "BETA", "failed", { actual: "no", clauses })],
      claim: { edition: "0.1.0", later_clauses: ["BETA"] },
    });
    const { exitCode, report } = judge(blaming(["BETA"]));
    expect([exitCode, report.scenarios[1]?.verdict, report.checks[1]?.verdict]).toEqual([0, "warned", "warned"]);
    expect(judge(blaming(["BETA", "ALPHA"])).exitCode).toBe(1);
  });

  test("does not answer for clauses that came later", () => {
    const { report } = judge({
      ...passes,
      selection: { only: [] },
      claim: { edition: "0.1.0", later_clauses: ["BETA", "GAMMA"] },
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
  const edition: Edition = freeze("1.0.0", ledger, [first], ["walks"]);
  const changed = { ...first, text: { ...first.text, title: "Another" } };
  const property = (id: string) => ({ ...first, name: `property:${id}` });

  test.each([
    ["a scenario as it was frozen", first, false],
    ["a scenario changed since", changed, true],
    ["a scenario that came since", second, true],
    ["a property that it has", property("walks"), false],
    ["a property that came since", property("filters"), true],
  ])("knows %s", (_, scenario, later) => {
    expect(isLater(edition, scenario)).toBe(later);
  });

  test("knows clauses that came since or mean something else", () => {
    const [id = "", other = ""] = Object.keys(ledger);
    const { [other]: _, ...fewer } = ledger;
    const older = freeze("1.0.0", { ...fewer, [id]: { ...ledger[id]!, says: "Something else." } }, [], []);
    expect(laterClauses(older, ledger)).toEqual([id, other]);
  });

  test("that nobody released is refused with those there are", () => {
    expect(readEdition("../clauses")).toMatchObject({ ok: false, mistake: expect.stringContaining("there are: ") });
  });

  test("of this version is the suite as it is; what changes it raises the version in package.json first", async () => {
    const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
    const read = readEdition(version);
    if (!read.ok) return; // this version is not released yet
    const { properties } = await import("../../src/runner/properties.js");
    const names = properties.map(({ id }) => id);
    expect(freeze(version, ledger, scenarios, names).digest).toBe(read.edition.digest);
  });

  test.each(readdirSync(join(packageRoot, "spec/editions")))("%s is as it was frozen", (file) => {
    const read = readEdition(file.replace(/\.json$/, ""));
    if (!read.ok) throw new Error(read.mistake);
    expect(read.edition.digest).toBe(digestOfEdition(read.edition));
  });
});
