import { describe, expect, test } from "vitest";
import { checkAllProperties } from "../../../../src/engine/property/check-all.js";
import { runWithTarget, startRun } from "../../../../src/engine/run/connect.js";
import { parseScenario } from "../../../../src/engine/scenario/parse.js";
import { createFuzzProperties } from "../../../../src/suite/fuzz/properties.js";
import { suite } from "../../../../src/suite/suite.js";
import { sampled } from "../../../meta/sample.js";
import { openMutant } from "../../../mutants/open.js";
import { faultyServers } from "../faulty-servers.js";
import { faultyTools } from "../faulty-tools.js";

const properties = createFuzzProperties();

describe("a faulty server", () => {
  test.each(sampled([...faultyServers, ...faultyTools], 5))(
    "is found with a minimal case: a server that $says",
    async ({ fault, by, breaks, min }) => {
      const { url, close } = await openMutant(fault);
      const property = properties.filter(({ id }) => id === by);
      const result = await runWithTarget(suite, { url }, async (target, wire) =>
        checkAllProperties(startRun(suite, { url }, target, wire), property, { seed: 1, deadline: Number.POSITIVE_INFINITY }),
      ).finally(close);
      const [{ line, scenario: scenarioResult } = { line: undefined, scenario: undefined }] = Array.isArray(result) ? result : [];
      expect(line?.reason, line?.verdict).toBeTypeOf("string");
      expect(line?.verdict, line?.reason).toBe("failed");
      expect(scenarioResult?.checks.flatMap(({ clauses }) => clauses)).toEqual([breaks]);
      expect(line?.counterexample).toMatch(min);
      const parseResult = parseScenario("found.yaml", line?.counterexample ?? "", suite);
      expect(parseResult.ok ? [] : parseResult.mistakes).toEqual([]);
    },
  );
});
