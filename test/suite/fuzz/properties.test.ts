import { describe, expect, test } from "vitest";
import { contract } from "../../../src/contract/load.js";
import { checkAllProperties } from "../../../src/engine/property/check-all.js";
import { openCoverage } from "../../../src/engine/property/coverage.js";
import { runWithTarget, startRun } from "../../../src/engine/run/connect.js";
import { createFuzzProperties } from "../../../src/suite/fuzz/properties.js";
import { suite } from "../../../src/suite/suite.js";
import { sampled } from "../../meta/sample.js";
import { variants } from "../../quality/variants.js";

const properties = createFuzzProperties();

describe("the properties from the documents of the contract", () => {
  test("exist for each operation, each tool and the tool server", () => {
    expect(properties).toHaveLength(27 + 34 + 1);
    expect(new Set(properties.map(({ id }) => id)).size).toBe(properties.length);
    for (const { id } of properties) expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  test.each(properties)("$id proves clauses that can pass, and tries every known kind of fault", ({ proves, cases, runs }) => {
    for (const id of proves)
      expect(contract.clauses[id as never]).toMatchObject({ level: expect.stringMatching(/stated|derived/) });
    const coverage = openCoverage();
    cases({ coverage, offers: () => true });
    expect(runs).toBeGreaterThan(coverage.unreached("faults").length);
  });

  test.each([
    ["fuzz-list-jobs", ["read"]],
    ["fuzz-dismiss-observation", ["read", "write"]],
    ["fuzz-submit-job", ["read", "paid"]],
    ["fuzz-cancel-job", ["read", "write", "paid"]],
    ["fuzz-delete-repo", ["read", "destructive"]],
    ["fuzz-tool-job-status", ["read"]],
    ["fuzz-tool-submit-fix", ["read", "paid"]],
    ["fuzz-tool-set-guidance", ["read", "write"]],
    ["fuzz-tool-server", ["read"]],
  ])("%s may use only %j", (id, effects) => expect(properties.find((property) => property.id === id)?.effects).toEqual(effects));

  test.each(sampled(["the mock as it comes", "the reference server, wordy", "the reference server, terse"], 1))(
    "pass on %s, and each has subjects",
    async (name) => {
      const triedProperties = sampled(properties, 12);
      const { options, close } = (await variants.get(name)?.()) ?? { options: {}, close: async () => {} };
      const result = await runWithTarget(suite, options, (target, wire) =>
        checkAllProperties(startRun(suite, options, target, wire), triedProperties, {
          seed: 5,
          runs: 6,
          deadline: Number.POSITIVE_INFINITY,
        }),
      ).finally(close);
      const lines = Array.isArray(result) ? result.map(({ line }) => line) : [];
      expect(lines).toHaveLength(triedProperties.length);
      expect(
        lines.filter(({ verdict }) => verdict !== "passed").map(({ id, verdict, reason }) => ({ id, verdict, reason })),
      ).toEqual([]);
      expect(lines.reduce((sum, { inconclusive }) => sum + inconclusive, 0)).toBe(0);
    },
  );
});
